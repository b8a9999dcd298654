import type { ChatCommand } from "./command.ts";
import { privately } from "./private-reply.ts";

export const stopCommand: ChatCommand = {
  name: "stop",
  description: "stop what I am doing in this thread",
  permission: "everyone",
  async run(_line, { store, engine, session, person }) {
    const run = session === null ? null : await store.runs.open(session.id);
    if (session === null || run === null) return privately("Nothing is running in this thread.");
    await engine.cancel(session.id, run.id, `@${person.name}`);
    return privately("⏹ Stopping.");
  },
};
