import { originOf } from "./label.ts";

/** Whom a remembered approval covers. */
export interface GrantScope {
  readonly key: string;
  /** The person whose requests the grant covers. */
  readonly personId: string;
  /** Others whose words were in the request when the grant was given, as in labels. Missing in older rows. */
  readonly words?: readonly string[];
  /** Session whose card the grant was given on. Missing in older rows. */
  readonly givenIn?: string;
}

/** Separates a call's own key from what it is bound to. Of fixed length, so that no other key can end the same way. */
const BOUND = /\n#bound [0-9a-f]{64}$/u;

/** Key of a grant that holds only for what a sha256 identifies. */
export function boundKey(key: string, digest: string): string {
  return `${key}\n#bound ${digest}`;
}

/** A grant's key without what it is bound to. */
export function unboundKey(key: string): string {
  return key.replace(BOUND, "");
}

/** Whose words lead to a call, and in which session. */
export interface GrantRequest {
  readonly requester: string;
  /** Everyone else in the request's label. */
  readonly who: readonly string[];
  readonly sessionId: string;
}

/**
 * Whether remembered approvals cover a call. The requester needs a grant for its key. So does everyone else whose words
 * are in the request, unless those words were there when the requester's grant was given in this session. Words from
 * outside have no grants of their own, and a grant from before they arrived does not cover what they may have caused.
 */
export function grantCovers(
  grants: readonly GrantScope[],
  key: string,
  { requester, who, sessionId }: GrantRequest,
): boolean {
  const those = grants.filter((grant) => grant.key === key);
  const own = those.filter(({ personId }) => personId === requester);
  const given = own.filter(({ givenIn }) => givenIn === sessionId);
  const isVouched = (each: string) =>
    given.some(({ words = [] }) => words.includes(each)) ||
    (originOf(each) === null && those.some(({ personId }) => personId === each));
  return own.length > 0 && who.every((each) => each === requester || isVouched(each));
}
