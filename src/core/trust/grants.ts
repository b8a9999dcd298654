import { originOf } from "./label.ts";

/** What a remembered approval says of whom it covers. */
export interface Granted {
  readonly key: string;
  /** Whose requests it covers. */
  readonly personId: string;
  /** Whose words were in the request as well when it was given, as labels have them; missing in older rows. */
  readonly words?: readonly string[];
  /** The session whose card it was given on; missing in older rows. */
  readonly givenIn?: string;
}

/** Between a call's own key and what it is bound to: of a fixed length, so that no call's key can end like another's. */
const BOUND = /\n#bound [0-9a-f]{64}$/u;

/** The key of a grant that holds only for what a sha256 identifies. */
export function boundKey(key: string, digest: string): string {
  return `${key}\n#bound ${digest}`;
}

/** A grant's key without what it is bound to. */
export function unboundKey(key: string): string {
  return key.replace(BOUND, "");
}

/** Whose words lead to a call, and where. */
export interface Asking {
  readonly requester: string;
  /** Everyone else in its request's label. */
  readonly who: readonly string[];
  readonly sessionId: string;
}

/**
 * Whether remembered approvals cover a call: the requester has one for its key, and so has everyone else whose words are in
 * the request, unless their words were there when the requester's was given, in this session. Content that nobody
 * answers for has no approvals: those from before it came do not cover what it may have led to.
 */
export function grantCovers(grants: readonly Granted[], key: string, { requester, who, sessionId }: Asking): boolean {
  const those = grants.filter((grant) => grant.key === key);
  const own = those.filter(({ personId }) => personId === requester);
  const given = own.filter(({ givenIn }) => givenIn === sessionId);
  const isVouched = (each: string) =>
    given.some(({ words = [] }) => words.includes(each)) ||
    (originOf(each) === null && those.some(({ personId }) => personId === each));
  return own.length > 0 && who.every((each) => each === requester || isVouched(each));
}
