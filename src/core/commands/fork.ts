import type { ChatCommand, CommandContext } from "../command-line/command.ts";
import { noSessionReply } from "../command-line/outside-threads.ts";
import { forkSession } from "../history/fork.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import { privateMessage, publicMessage } from "../platform/replies.ts";
import type { ThreadRef } from "../platform/thread.ts";
import { AppError } from "../protocol/errors.ts";
import { explain } from "../protocol/explain.ts";
import { textOf } from "../protocol/messages.ts";
import type { SessionRow } from "../store/sessions.ts";
import { counted } from "../text/counted.ts";
import { plainLine } from "../text/plain-text.ts";

export const forkCommand: ChatCommand = {
  name: "fork",
  description: "continue in a new thread with everything from this one",
  permission: "people",
  async run(_line, context) {
    const { session, openThread } = context;
    if (session === null) return privateMessage(noSessionReply("fork", context));
    if (openThread === null) {
      return privateMessage(
        "A direct message here is a single conversation, so I can't fork it. `/new` starts a new session.",
      );
    }
    const root = publicMessage(await rootText(session, context));
    const thread = await openThread(root).catch(refusal);
    if ("markdown" in thread) return thread;
    const known = await begin(session, thread, context);
    await context.say(thread, publicMessage(firstText(known)), "first");
    await context.say(session.thread, publicMessage(pointer(thread, context)), "pointer");
    return privateMessage(`✓ ${place("A new thread", thread, context)} continues from here.`);
  },
};

/** Explains that a thread cannot be opened for lack of a permission. Rethrows other errors. */
function refusal(error: unknown): OutgoingMessage {
  if (error instanceof AppError && error.code === "missing_scope") return privateMessage(explain(error));
  throw error;
}

function begin(from: SessionRow, thread: ThreadRef, { store, runtime, person }: CommandContext): Promise<number> {
  return store.transaction((tx) => forkSession(tx, { from, thread, createdBy: person.id }, runtime));
}

/** Maximum length of a fork's title, in characters. */
const TITLE_CHARS = 60;

/**
 * The first message of the fork. Platforms name threads after its first line, which therefore tells forks apart and has
 * no address.
 */
async function rootText({ id, agent, thread }: SessionRow, context: CommandContext): Promise<string> {
  const messages = await context.store.messages.list(id);
  const first = messages.find(({ role, context: isOverheard }) => role === "user" && isOverheard !== true);
  const title = plainLine(textOf(first?.content ?? []), TITLE_CHARS);
  return [
    `${title === "" ? "Fork" : `Fork of “${title}”`}: **${context.person.name}** continues with **${agent}** here.`,
    `Started from ${place("another thread", thread, context)}.`,
  ].join("\n");
}

function firstText(known: number): string {
  const messages = counted(known, "message");
  return `I have the conversation so far (${messages}) and its settings; budgets start from zero. Write here to continue.`;
}

function pointer(thread: ThreadRef, context: CommandContext): string {
  return `**${context.person.name}** continues from here in ${place("a new thread", thread, context)}. This thread stays as it is.`;
}

/** Turns words into a link to the thread, if the platform has such links. */
function place(words: string, thread: ThreadRef, { describe }: CommandContext): string {
  const link = describe(thread.platform).link(thread);
  return link === null ? words : `[${words}](${link})`;
}
