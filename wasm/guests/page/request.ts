/** What the host asks: a page, and where its relative links start. */
export interface PageRequest {
  readonly html: string;
  /** Absolute http(s) URL. */
  readonly base: string;
}
