import type { CallVerdict, PendingCall } from "../../agent/approval-service.ts";
import type { ApprovalPeople } from "../../store/run/approvals.ts";
import type { SessionRow } from "../../store/sessions.ts";
import type { Store } from "../../store/store.ts";
import { boundKey, type GrantScope, grantCovers } from "../../trust/grants.ts";
import { allowed } from "./verdicts.ts";

/** What stored grants say about a turn's calls. */
export interface Remembered {
  /** Calls that need no decision: the grants cover everyone whose words are in the request. */
  readonly covered: ReadonlyMap<PendingCall, CallVerdict>;
  /** Calls that the requester has granted before, but whose grants do not cover the words of others in the request. */
  readonly lapsed: ReadonlySet<PendingCall>;
}

export async function grantsFor(
  { store, session }: { readonly store: Store; readonly session: SessionRow },
  calls: readonly PendingCall[],
  { requester, others, outside = [] }: Pick<ApprovalPeople, "requester" | "others" | "outside">,
): Promise<Remembered> {
  const sessionId = session.task?.root.sessionId ?? session.id;
  const grants = await store.grants.inForce({ sessionId, channelId: session.channelKey });
  const digests = new Map<PendingCall, string | null | undefined>();
  for (const call of calls) digests.set(call, await digestFor(call, grants));
  const covers = (call: PendingCall, who: readonly string[]) => {
    const digest = digests.get(call);
    if (call.always || digest === null) return false;
    return grantCovers(grants, grantOf(call, digest).key, { requester: requester.id, who, sessionId });
  };
  const isCovered = (call: PendingCall) => {
    // Reading does no harm, whoever caused it. Sending the data away is a call that needs its own decision.
    const isReading = call.tool.permission === "none" || call.tool.permission === "read";
    return covers(call, [...others.map(({ id }) => id), ...(isReading ? [] : outside)]);
  };
  const covered = new Map(calls.filter(isCovered).map((call) => [call, allowed(digests.get(call) ?? undefined)]));
  return { covered, lapsed: new Set(calls.filter((call) => !covered.has(call) && covers(call, []))) };
}

/**
 * The key and label of a call's grant. Keys are prefixed with the tool's name. Edit shares its prefix with write,
 * because both grant a path.
 */
export function grantOf({ tool, use }: PendingCall, digest?: string): { key: string; label: string } {
  const { key, label } = tool.grant(use.input);
  const whole = `${tool.name === "edit" ? "write" : tool.name}:${key}`;
  return { key: tool.grantBindsPreview === true && digest !== undefined ? boundKey(whole, digest) : whole, label };
}

/**
 * The preview digest that a grant must match; undefined if grants do not depend on it. Null if no grant can cover the
 * call.
 */
async function digestFor(
  call: PendingCall,
  grants: readonly Pick<GrantScope, "key">[],
): Promise<string | null | undefined> {
  if (call.always || call.tool.grantBindsPreview !== true) return undefined;
  const { key } = grantOf(call);
  if (!grants.some((grant) => grant.key.startsWith(key))) return null;
  const previewed = await call.preview();
  return "refused" in previewed || previewed.isRepeatable === false ? null : previewed.previewDigest;
}
