import type { Store } from "../store/store.ts";
import type { Spending } from "../tool.ts";
import { startOfDay } from "./limits.ts";

/** The cost so far of a run, its session and the UTC day. */
export async function spendingOf(
  { usage }: Pick<Store, "usage">,
  { runId, sessionId }: { readonly runId: string; readonly sessionId: string },
  now: number,
): Promise<Spending> {
  const [run, session, day] = await Promise.all([
    usage.total({ runIds: [runId] }),
    usage.total({ sessionIds: [sessionId] }),
    usage.total({ since: startOfDay(now) }),
  ]);
  return { runUsd: run.costUsd, sessionUsd: session.costUsd, dayUsd: day.costUsd };
}
