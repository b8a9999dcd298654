import type { ChatCommand } from "../command-line/command.ts";
import { noSessionReply } from "../command-line/outside-threads.ts";
import { privateMessage } from "../protocol/replies.ts";

export const compactCommand: ChatCommand = {
  name: "compact",
  description: "summarise what was said so far, to make room",
  permission: "people",
  async run(_line, context) {
    const { store, engine, runtime, session, person } = context;
    if (session === null) return privateMessage(noSessionReply("summarise", context));
    if ((await store.runs.open(session.id)) !== null) {
      return privateMessage(
        "I am still working here. I summarise by myself when I must; or `/compact` again when I am done.",
      );
    }
    const by = { id: person.id, name: person.name };
    await engine.deliver(session.id, { key: `command:${runtime.ids.next("cmd")}`, body: { kind: "compact", by } });
    return privateMessage("✓ I summarise what was said so far.");
  },
};
