/** What one fetch may take; all of it is enforced while the bytes come in. */
export interface FetchLimits {
  /** Milliseconds for a connection and the head of one response. */
  readonly headMs: number;
  /** Milliseconds for everything, redirects and body included. */
  readonly totalMs: number;
  /** Bytes of a body after decompression. */
  readonly bodyBytes: number;
  /** Bytes of a response's head. */
  readonly headBytes: number;
  readonly redirects: number;
}

export const FETCH_LIMITS: FetchLimits = {
  headMs: 15_000,
  totalMs: 30_000,
  bodyBytes: 8_388_608,
  headBytes: 32_768,
  redirects: 5,
};
