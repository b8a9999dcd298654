import { openChildren } from "../sessions/children.ts";
import type { ChatCommand } from "./command.ts";
import { privately } from "./private-reply.ts";

export const stopCommand: ChatCommand = {
  name: "stop",
  description: "stop what I am doing in this thread",
  permission: "everyone",
  async run(_line, { store, engine, session, person }) {
    const run = session === null ? null : await store.runs.open(session.id);
    const own = run === null ? [] : [{ sessionId: run.sessionId, runId: run.id }];
    // Sub-agents in the background may outlive the run that began them.
    const all = session === null ? [] : [...own, ...(await openChildren(store, session.id))];
    if (all.length === 0) return privately("Nothing is running in this thread.");
    for (const { sessionId, runId } of all) await engine.cancel(sessionId, runId, `@${person.name}`);
    return privately("⏹ Stopping.");
  },
};
