import type { ChatCommand, CommandContext } from "../../core/command-line/command.ts";
import { NO_THREAD, sessionToChange } from "../../core/command-line/session-to-change.ts";
import { privateMessage } from "../../core/platform/replies.ts";

/** Maximum length of a remembered text, in characters. Longer texts belong in a file. */
const MAX_CHARS = 2_000;

export const rememberCommand: ChatCommand = {
  name: "remember",
  description: "tell me something to keep in mind in this thread; starts no run",
  usage: "<what>",
  permission: "people",
  async run(line, context) {
    const text = line.trim();
    if (text === "") return privateMessage("Tell me what: `/remember we deploy on Thursdays`.");
    if (text.length > MAX_CHARS)
      return privateMessage(`✗ That is too long: I can keep at most ${MAX_CHARS} characters in mind.`);
    const isKept = await keepInMind(text, context);
    return privateMessage(isKept ? "✓ I'll keep it in mind in this thread." : NO_THREAD);
  },
};

/** Adds a note for the next turn of the thread's session. Returns false if there is no thread for it. */
export async function keepInMind(text: string, context: CommandContext): Promise<boolean> {
  const session = await sessionToChange(context);
  if (session === null) return false;
  const { engine, runtime, person } = context;
  const by = { id: person.id, name: person.name };
  const body = { kind: "note", by, text, at: runtime.clock.now(), isMemory: true } as const;
  await engine.deliver(session.id, { key: `command:${runtime.ids.next("cmd")}`, body });
  return true;
}
