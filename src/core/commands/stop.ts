import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { busyThreadLines } from "../command-line/outside-threads.ts";
import { privateMessage } from "../platform/replies.ts";
import { cancelledByPerson } from "../protocol/cancel-cause.ts";
import { openChildren, withdrawWaiting } from "../subagents/children.ts";

export const stopCommand: ChatCommand = {
  name: "stop",
  description: "stop what I am doing in this thread",
  permission: "everyone",
  async run(_line, context) {
    const { store, engine, session, person } = context;
    if (session === null) return privateMessage(await outsideText(context));
    // Waiting sub-agents go first, since the end of a running one would let the next begin.
    const isWithdrawn = await withdrawWaiting(store, session.id);
    const run = await store.runs.open(session.id);
    const own = run === null ? [] : [{ sessionId: run.sessionId, runId: run.id }];
    // Background sub-agents may outlive the run that began them.
    const all = [...own, ...(await openChildren(store, session.id))];
    if (all.length === 0 && !isWithdrawn) return privateMessage(NOTHING);
    for (const { sessionId, runId } of all) await engine.cancel(sessionId, runId, cancelledByPerson(person));
    return privateMessage("⏹ Stopping.");
  },
};

const NOTHING = "Nothing is running in this thread.";

/** Outside a thread it is not clear which run to stop, so the busy threads are listed. */
async function outsideText(context: CommandContext): Promise<string> {
  const lines = await busyThreadLines(context);
  return lines.length === 0
    ? NOTHING
    : ["To stop one, mention me in its thread and write `/stop`:", ...lines].join("\n");
}
