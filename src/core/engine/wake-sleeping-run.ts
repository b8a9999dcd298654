import type { Store } from "../store/store.ts";
import type { SessionEngine } from "./engine.ts";

/** The name of the tool whose calls a person's message ends early. */
export const SLEEP = "sleep";

/**
 * Wakes a session's run when it sleeps, or is about to: whoever writes to it need not wait until it wakes by itself. To be
 * called once the message is delivered: a pause that begins later looks for messages first.
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
