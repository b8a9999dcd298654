import { BoundedMap } from "../bounded-map.ts";
import type { CommandContext, CommandServices, RunReply } from "../command-line/command.ts";
import { runCommand, type TypedCommand } from "../command-line/run-command.ts";
import { notStoredReply } from "../people/unstored-messages.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { InboundCommand, InboundMessage, Receipt } from "../platform/inbound.ts";
import type { OutgoingMessage, PostedMessage } from "../platform/outgoing.ts";
import { fitMessage, publicMessage, reply } from "../platform/replies.ts";
import { channelKeyOf, type PlatformName, sessionKeyOf, type ThreadRef } from "../platform/thread.ts";
import { type AppError, toAppError } from "../protocol/errors.ts";
import { defectRef, explain } from "../protocol/explain.ts";
import type { Log } from "../protocol/log.ts";
import type { SessionRow } from "../store/sessions.ts";
import { plainLine } from "../text/plain-text.ts";
import { handleRequest, type MessageOptions, openSession } from "./person-message.ts";

export interface CommandIntake extends CommandServices, MessageOptions {
  readonly log: Log;
  /** Posts in a thread, or posts the message that opens one. */
  readonly announce: (thread: ThreadRef, message: OutgoingMessage, key: string) => Promise<PostedMessage>;
  /** The platform's own operation; null if an ordinary message opens the thread instead. */
  readonly openPrivateThread: (thread: ThreadRef, name: string, personId: string) => Promise<ThreadRef | null>;
  /** Keys of recent commands, since a platform may deliver a message twice and a command would act each time. */
  readonly commandKeys: BoundedMap<string, true>;
}

/** Lets commands post on the platform of each thread. */
export function commandPlaces(
  platform: (name: PlatformName) => ChatPlatform,
): Pick<CommandIntake, "announce" | "openPrivateThread"> {
  return {
    announce: (thread, message, key) => platform(thread.platform).post(thread, message, key),
    openPrivateThread: async (thread, name, personId) =>
      (await platform(thread.platform).openPrivateThread?.(thread, name, personId)) ?? null,
  };
}

interface Typed {
  readonly event: InboundMessage | InboundCommand;
  readonly session: SessionRow | null;
}

/**
 * Runs a command once per event. If it fails, a message is redelivered by the platform. A slash command is not, so the
 * person gets the error as a reply.
 */
export async function handleCommand(command: TypedCommand, typed: Typed, options: CommandIntake): Promise<Receipt> {
  try {
    return await carryOut(command, typed, options);
  } catch (error) {
    if (typed.event.kind !== "command") throw error;
    const ref = defectRef(options.runtime.random);
    options.log.error({ err: error, command: command.name, ref }, "command_failed");
    return reply(notStoredReply(error) ?? whyNot(command.name, toAppError(error), ref));
  }
}

function whyNot(name: string, error: AppError, ref: string): string {
  if (error.code === "missing_scope") return explain(error);
  if (error.code === "thread_gone")
    return `✗ I am not in this channel, or it is archived. Add me to it, then type \`/${name}\` again.`;
  return `✗ \`/${name}\` did not work. Type it again; if it fails again, an operator finds the reason in the log under the code ${ref}.`;
}

function carryOut(command: TypedCommand, typed: Typed, options: CommandIntake): Promise<Receipt> {
  return once(typed, options, async () => {
    const { event, session } = typed;
    options.log.info({ command: command.name, person: event.person.id, sessionId: session?.id }, "command");
    const reply = await runCommand(command, commandContext(typed, options));
    if ("run" in reply) return begin(reply, typed, options);
    // A corrected form arrives under the same key.
    if ("problems" in reply) options.commandKeys.delete(event.key);
    if ("form" in reply) return { type: "reply", ...reply };
    const { limits } = options.describe(event.thread.platform);
    return { type: "reply", message: fitMessage(reply, limits.messageChars) };
  });
}

/** Begins a run with words that the person has not typed, once per event. */
export function startRunWith(words: string, typed: Typed, options: CommandIntake): Promise<Receipt> {
  return once(typed, options, () => begin({ run: words }, typed, options));
}

async function once({ event }: Typed, { commandKeys }: CommandIntake, take: () => Promise<Receipt>): Promise<Receipt> {
  if (commandKeys.has(event.key)) return { type: "duplicate" };
  commandKeys.set(event.key, true);
  try {
    return await take();
  } catch (error) {
    commandKeys.delete(event.key);
    throw error;
  }
}

export function commandContext({ event, session }: Typed, options: CommandIntake): CommandContext {
  const channelKey = channelKeyOf(event.thread);
  const hasThreads = options.describe(event.thread.platform).hasThreads(event.thread);
  const open = () => openSession(event, options.agentOf(channelKey), options);
  return {
    ...options,
    session,
    person: event.person,
    thread: event.thread,
    isDirect: event.channel.kind === "dm",
    filled: event.kind === "command" ? (event.filled ?? null) : null,
    channelKey,
    openSession: event.kind === "command" && opensThread(event, options) ? null : open,
    openThread: hasThreads ? (root) => openThread(root, event, options) : null,
    say: async (thread, message, name) => {
      await options.announce(thread, message, `${event.key}:${name}`);
    },
  };
}

/** Maximum length of a thread's name, in characters. */
const NAME_CHARS = 80;

/** Opens a thread below a new message in the channel. Beside a private thread, the new thread is private, too. */
async function openThread(
  root: OutgoingMessage,
  { thread, key, person }: Typed["event"],
  { announce, openPrivateThread }: CommandIntake,
): Promise<ThreadRef> {
  const opened = await openPrivateThread(thread, plainLine(root.markdown, NAME_CHARS), person.id);
  if (opened !== null) {
    await announce(opened, root, `${key}:thread`);
    return opened;
  }
  const { messageId } = await announce({ ...thread, threadId: null }, root, `${key}:thread`);
  return { ...thread, threadId: messageId };
}

/** Whether the answer to a slash command opens a thread: only in a channel that has threads, and not inside one. */
function opensThread({ thread }: InboundCommand, { describe }: Pick<CommandIntake, "describe">): boolean {
  return thread.threadId === null && describe(thread.platform).hasThreads(thread);
}

/** Begins a run with the words that a command stands for, as if the person had written them. */
async function begin(reply: RunReply, { event, session }: Typed, options: CommandIntake): Promise<Receipt> {
  const { agent = null, skill, from } = reply;
  if (event.kind === "message")
    return handleRequest({ ...event, text: reply.run }, { session, agent, skill, from }, options);
  const message = await visibleRequest(event, reply, options);
  const opened = session ?? (await options.store.sessions.byKey(sessionKeyOf(message.thread)));
  return handleRequest(message, { session: opened, agent, skill, from }, options);
}

/**
 * Posts what a slash command asks for, since only its author sees the command. Others can then follow, and a thread can
 * begin there.
 */
async function visibleRequest(
  command: InboundCommand,
  { run, agent }: RunReply,
  options: CommandIntake,
): Promise<InboundMessage> {
  const { name: _name, args: _args, ...event } = command;
  const asked = agent === undefined ? "asks" : `asks **${agent}**`;
  const post = publicMessage(`**${event.person.name}** ${asked}: ${run}`);
  const isRoot = opensThread(command, options);
  const { messageId } = await options.announce(event.thread, post, event.key);
  return {
    ...event,
    kind: "message",
    thread: isRoot ? { ...event.thread, threadId: messageId } : event.thread,
    text: run,
    addressed: "mention",
    opensThread: isRoot,
    attachments: [],
    quoted: [],
    messageId,
  };
}
