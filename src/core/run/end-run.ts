import { chargeLost } from "../budget/lost-call.ts";
import type { TurnContext, Wake } from "../engine/engine.ts";
import { endNote } from "../progress/end-notes.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import type { StoreTransaction } from "../store/store.ts";
import { endChild } from "../subagents/children.ts";
import { type HookedRun, notifyRunEnded, type RunHook, withHooks } from "./run-hooks.ts";
import type { RunnerOptions } from "./runner-options.ts";

export interface EndingRun {
  readonly wake: Wake;
  readonly context: TurnContext;
  /** Whether a call that a crash interrupted may still hold a budget reservation. */
  readonly mayHoldReservation: boolean;
}

/**
 * Ends a run in the store, in one transaction with the hooks' work. The end of a sub-agent's run also notifies its
 * parent.
 */
export async function endRun(
  { wake, context, mayHoldReservation }: EndingRun,
  outcome: QueryOutcome,
  options: Pick<RunnerOptions, "store" | "engine" | "runtime" | "log"> & { readonly hooks: readonly RunHook[] },
): Promise<void> {
  const { store, engine, runtime, log } = options;
  const { sessionId, runId, event } = wake;
  const ending = async (tx: StoreTransaction, at: number) => {
    const note = endNote(outcome, { ids: runtime.ids, at });
    if (note !== null) await context.append(tx, [note]);
    if (mayHoldReservation) await chargeLost(tx, runId, at);
    await tx.runs.end(runId, outcome, at);
  };
  const { body } = event;
  const end = async (after: (tx: StoreTransaction) => Promise<void>) => {
    if (body.kind !== "child") {
      const isDone = async (tx: StoreTransaction) => (await tx.runs.get(runId))?.status === "ended";
      const work = async (tx: StoreTransaction) => {
        await ending(tx, runtime.clock.now());
        await after(tx);
      };
      return context.commit(work, { isDone });
    }
    // The child's report covers everything it has done, so pending writes come first.
    await context.flush();
    const fenced = async (tx: StoreTransaction, at: number) => {
      await tx.sessions.fence(sessionId, context.epoch, at);
      await ending(tx, at);
      await after(tx);
    };
    const child = { event: body, sessionId, runId, outcome, endRun: fenced };
    return endChild(child, { store, engine, clock: runtime.clock });
  };
  const { hooks } = options;
  const after = ({ after: work }: RunHook, tx: StoreTransaction) => work?.(hookedRun(wake), outcome, tx);
  await withHooks(end, after, { hooks, log, runId });
  log.info({ runId, sessionId, outcome: outcome.type }, "run_ended");
  notifyRunEnded(runId, outcome, { hooks, log });
}

export function hookedRun({ session, runId, event }: Wake): HookedRun {
  return { session, runId, event };
}
