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

/** What the fetches of a guest may take: each as above, and those of one call together. */
export interface GuestFetchLimits extends FetchLimits {
  /** Redirects count, and so does what is refused. */
  readonly requests: number;
  /** Bytes of bodies, sent and received. */
  readonly callBytes: number;
  /** Bytes of a response as the guest gets it, in JSON: control characters take six each. */
  readonly answerBytes: number;
}

/** Bodies fit a guest's memory in their several copies: base64 and text of two bytes a character do. */
export const GUEST_FETCH_LIMITS: GuestFetchLimits = {
  ...FETCH_LIMITS,
  bodyBytes: 4_194_304,
  requests: 100,
  callBytes: 16_777_216,
  answerBytes: 8_454_144,
};

/** Characters of one request of a guest, its body included. */
export const MAX_GUEST_REQUEST = 1_048_576;

export function tooManyRequests(limit: number): string {
  return `A call has ${limit} requests, redirects included.`;
}
