import type { ChatCommand } from "../command-line/command.ts";
import { noSessionReply } from "../command-line/outside-threads.ts";
import { beginNewSession } from "../history/new-session.ts";
import { privateMessage } from "../platform/replies.ts";

export const newCommand: ChatCommand = {
  name: "new",
  description: "start a new session here, without the conversation so far",
  permission: "people",
  async run(_line, context) {
    const { store, runtime, session, person } = context;
    if (session === null) return privateMessage(noSessionReply("leave behind", context));
    const fresh = { id: runtime.ids.next("ses"), createdBy: person.id, at: runtime.clock.now() };
    const isBegun = await store.transaction((tx) => beginNewSession(tx, session, fresh));
    if (!isBegun) return privateMessage("I'm still working here. Send `/stop` first, then `/new`.");
    return privateMessage("✓ A new session starts here, without the conversation so far.");
  },
};
