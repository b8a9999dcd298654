import type { ChatCommand } from "../command-line/command.ts";
import { nothingTo } from "../command-line/outside-threads.ts";
import { privately } from "../protocol/private-reply.ts";

export const compactCommand: ChatCommand = {
  name: "compact",
  description: "summarise what was said so far, to make room",
  permission: "people",
  async run(_line, context) {
    const { store, engine, runtime, session, person } = context;
    if (session === null) return privately(nothingTo("summarise", context));
    if ((await store.runs.open(session.id)) !== null) {
      return privately(
        "I am still working here. I summarise by myself when I must; or `/compact` again when I am done.",
      );
    }
    const by = { id: person.id, name: person.name };
    await engine.deliver(session.id, { key: `command:${runtime.ids.next("cmd")}`, body: { kind: "compact", by } });
    return privately("✓ I summarise what was said so far.");
  },
};
