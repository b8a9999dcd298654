/** The host's request: a page, and the base of its relative links. */
export interface PageRequest {
  readonly html: string;
  /** Absolute http(s) URL. */
  readonly base: string;
}
