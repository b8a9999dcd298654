import type { Store } from "../store/store.ts";
import type { SessionEngine } from "./engine.ts";

/** The tool whose calls end early when a person writes. */
export const SLEEP = "sleep";

/**
 * Wakes a session's run if it is sleeping or about to, so that people need not wait until it wakes by itself. Call it
 * after the message is delivered: a later sleep call checks for messages first.
 */
export async function wakeSleepingRun(
  sessionId: string,
  messageKey: string,
  { store, engine }: { readonly store: Store; readonly engine: Pick<SessionEngine, "deliver"> },
): Promise<void> {
  const run = await store.runs.open(sessionId);
  if (run === null) return;
  const calls = await store.toolCalls.ofRun(run.id);
  if (!calls.some(({ name, status }) => name === SLEEP && status === "begun")) return;
  await engine.deliver(sessionId, { key: `wake:${messageKey}`, body: { kind: "resume", of: "message" } });
}
