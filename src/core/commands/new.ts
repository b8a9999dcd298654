import { isFamilyAtWork } from "../sessions/children.ts";
import type { ChatCommand } from "./command.ts";
import { nothingTo } from "./outside-threads.ts";
import { privately } from "./private-reply.ts";

export const newCommand: ChatCommand = {
  name: "new",
  description: "start afresh: what was said before is left behind",
  permission: "people",
  async run(_line, context) {
    const { store, runtime, session, person } = context;
    if (session === null) return privately(nothingTo("leave behind", context));
    if (await isFamilyAtWork(store, session.id)) {
      return privately("I am still working here. `/stop` first, then `/new`.");
    }
    const fresh = { id: runtime.ids.next("ses"), createdBy: person.id, at: runtime.clock.now() };
    await store.transaction((tx) => tx.sessions.startAfresh(session, fresh));
    return privately("✓ A new session begins here: I leave behind what was said before.");
  },
};
