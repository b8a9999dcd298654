/** Limits of one fetch, all enforced while the bytes arrive. */
export interface FetchLimits {
  /** Milliseconds to connect and receive the head of one response. */
  readonly headMs: number;
  /** Milliseconds for the whole fetch, redirects and body included. */
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

/** Limits of a guest's fetches: those of each, as above, and those of one call together. */
export interface GuestFetchLimits extends FetchLimits {
  /** Maximum number of requests; redirects and refused requests count. */
  readonly requests: number;
  /** Maximum bytes of all bodies, sent and received. */
  readonly callBytes: number;
  /** Maximum bytes of a response as the guest receives it in JSON, where control characters take six bytes each. */
  readonly answerBytes: number;
}

/** Bodies are small enough for a guest's memory to hold their copies, base64 and two-byte text included. */
export const GUEST_FETCH_LIMITS: GuestFetchLimits = {
  ...FETCH_LIMITS,
  bodyBytes: 4_194_304,
  requests: 100,
  callBytes: 16_777_216,
  answerBytes: 8_454_144,
};

/** Maximum characters of a guest's request, its body included. */
export const MAX_GUEST_REQUEST = 1_048_576;

export function tooManyRequests(limit: number): string {
  return `A call can make at most ${limit} requests, including redirects.`;
}
