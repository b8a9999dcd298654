import { openChildren } from "../sessions/children.ts";
import type { ChatCommand } from "./command.ts";
import { privately } from "./private-reply.ts";

export const newCommand: ChatCommand = {
  name: "new",
  description: "start afresh: what was said before is left behind",
  permission: "people",
  async run(_line, { store, runtime, session, person }) {
    if (session === null) return privately("There is no session here yet, so there is nothing to leave behind.");
    const isAtWork = (await store.runs.open(session.id)) !== null || (await openChildren(store, session.id)).length > 0;
    if (isAtWork) {
      return privately("I am still working here. `/stop` first, then `/new`.");
    }
    const fresh = { id: runtime.ids.next("ses"), createdBy: person.id, at: runtime.clock.now() };
    await store.transaction((tx) => tx.sessions.startAfresh(session, fresh));
    return privately("✓ A new session begins here: I leave behind what was said before.");
  },
};
