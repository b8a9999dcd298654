import type { ChatCommand } from "../command-line/command.ts";
import { noSessionReply } from "../command-line/outside-threads.ts";
import { privateMessage } from "../platform/replies.ts";

export const compactCommand: ChatCommand = {
  name: "compact",
  description: "summarise the conversation so far, to free up context",
  permission: "people",
  async run(_line, context) {
    const { store, engine, runtime, session, person } = context;
    if (session === null) return privateMessage(noSessionReply("summarise", context));
    if ((await store.runs.open(session.id)) !== null) {
      return privateMessage(
        "I'm still working here. I summarise on my own when I need to, or send `/compact` again once I'm done.",
      );
    }
    const by = { id: person.id, name: person.name };
    await engine.deliver(session.id, { key: `command:${runtime.ids.next("cmd")}`, body: { kind: "compact", by } });
    return privateMessage("✓ Summarising the conversation so far.");
  },
};
