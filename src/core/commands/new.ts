import type { ChatCommand } from "../command-line/command.ts";
import { noSessionReply } from "../command-line/outside-threads.ts";
import { beginNewSession } from "../history/new-session.ts";
import { privateMessage } from "../protocol/replies.ts";

export const newCommand: ChatCommand = {
  name: "new",
  description: "start afresh: what was said before is left behind",
  permission: "people",
  async run(_line, context) {
    const { store, runtime, session, person } = context;
    if (session === null) return privateMessage(noSessionReply("leave behind", context));
    const fresh = { id: runtime.ids.next("ses"), createdBy: person.id, at: runtime.clock.now() };
    const isBegun = await store.transaction((tx) => beginNewSession(tx, session, fresh));
    if (!isBegun) return privateMessage("I am still working here. `/stop` first, then `/new`.");
    return privateMessage("✓ A new session begins here: I leave behind what was said before.");
  },
};
