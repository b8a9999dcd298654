import { ThreadBreaker } from "../budget/thread-breaker.ts";
import type { AccessRules } from "../permissions/access.ts";
import { accessRefusal } from "../permissions/access.ts";
import type { ApprovalRules } from "../permissions/deciders.ts";
import { assertNever } from "../protocol/assert-never.ts";
import type { Log } from "../protocol/log.ts";
import type {
  InboundCommand,
  InboundEvent,
  InboundMessage,
  Receipt,
  Receive,
  ThreadRef,
} from "../protocol/platform.ts";
import type { Runtime } from "../protocol/runtime.ts";
import { type SessionRow, sessionKeyOf } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { type CommandContext, helpText, parseCommand, privately, runCommand } from "./chat-commands.ts";
import { receiveClick } from "./clicks.ts";
import type { SessionEngine } from "./engine.ts";
import type { PersonMessageEvent } from "./session-event.ts";

export interface IntakeOptions {
  readonly store: Store;
  readonly engine: SessionEngine;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly access: AccessRules;
  readonly approvals: ApprovalRules;
  /** The agent that answers in a channel. */
  readonly agentOf: (channelKey: string) => string;
  /** True where only messages that mention the bot are answered, also in its threads. */
  readonly requiresMention: (channelKey: string) => boolean;
  readonly contextWindowOf: CommandContext["contextWindowOf"];
}

const TOO_QUICK =
  "✗ More than 30 runs in 10 minutes, each begun as soon as the one before had ended: that looks like a loop, so I answer no more here for some minutes.";

/** Commands, and messages, taken lately that are remembered. */
const REMEMBERED = 1_000;

interface Intake extends IntakeOptions {
  /** Keys of the commands taken lately: a platform may deliver a message twice, and a command acts each time. */
  readonly commandKeys: Set<string>;
  /** Receipts of messages taken lately, by key: Slack delivers each mention twice, and once is enough for the store. */
  readonly receipts: Map<string, Promise<Receipt>>;
  readonly breaker: ThreadBreaker;
}

/**
 * What a platform's event means: whose it is, which session it belongs to, whether it starts
 * something. An accepted message is durable when this resolves.
 */
export function createIntake(intakeOptions: IntakeOptions): Receive {
  const breaker = new ThreadBreaker({ store: intakeOptions.store, clock: intakeOptions.runtime.clock });
  const options: Intake = { ...intakeOptions, commandKeys: new Set(), receipts: new Map(), breaker };
  return async (event) => {
    const refusal = accessRefusal(event.person, options.access);
    if (refusal !== null) return isAddressed(event) ? { type: "refused", reason: refusal } : { type: "ignored" };
    switch (event.kind) {
      case "message":
        return takeOnce(event, options);
      case "command":
        return receiveCommand(event, options);
      case "action":
        return receiveClick(event, options);
      default:
        return assertNever(event);
    }
  };
}

function isAddressed(event: InboundEvent): boolean {
  return event.kind !== "message" || event.addressed === "mention" || event.addressed === "dm";
}

/** One delivery does the work; those beside and after it get its receipt. Across processes the unique key decides. */
function takeOnce(message: InboundMessage, options: Intake): Promise<Receipt> {
  const { receipts } = options;
  const { key } = message;
  const known = receipts.get(key);
  if (known !== undefined) return known;
  const receipt = receiveMessage(message, options).catch((error: unknown) => {
    receipts.delete(key);
    throw error;
  });
  receipts.set(key, receipt);
  forgetOldest(receipts);
  return receipt;
}

function forgetOldest(remembered: Map<string, unknown> | Set<string>): void {
  const [oldest] = remembered.keys();
  if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}

async function receiveMessage(message: InboundMessage, options: Intake): Promise<Receipt> {
  const session = await options.store.sessions.byKey(sessionKeyOf(message.thread));
  const addressed = isAddressed(message) || isFollowUp(message, session, options);
  if (!addressed) {
    return session === null ? { type: "ignored" } : deliver(message, { session, addressed, isNew: false }, options);
  }
  const command = parseCommand(message.text);
  if (command !== null) return answerCommand(command.name, { event: message, session }, options);
  if (message.text === "" && message.attachments.length === 0 && message.quoted.length === 0) {
    return { type: "reply", message: privately(helpText()) };
  }
  if (session !== null) {
    const verdict = await options.breaker.arrives(session.id);
    if (verdict === "stops") return { type: "reply", message: privately(TOO_QUICK) };
    if (verdict === "stopped") return { type: "ignored" };
    return deliver(message, { session, addressed, isNew: false }, options);
  }
  return deliver(message, { session: await openSession(message, options), addressed, isNew: true }, options);
}

/** Whoever has addressed the agent in a thread need not mention it there again. */
function isFollowUp(message: InboundMessage, session: SessionRow | null, options: IntakeOptions): boolean {
  if (session === null || message.addressed === "other") return false;
  return session.people.includes(message.person.id) && !options.requiresMention(session.channelKey);
}

interface Delivery {
  readonly session: SessionRow;
  readonly addressed: boolean;
  readonly isNew: boolean;
}

async function deliver(message: InboundMessage, delivery: Delivery, options: IntakeOptions): Promise<Receipt> {
  const { session, addressed, isNew } = delivery;
  const body: PersonMessageEvent = {
    kind: "message",
    author: { id: message.person.id, name: message.person.name },
    text: message.text,
    quoted: [...message.quoted],
    attachments: [...message.attachments],
    thread: message.thread,
    messageId: message.messageId,
    at: message.at,
    addressed,
    joinsThread: isNew && !message.opensThread && message.thread.threadId !== null,
  };
  if (addressed && !session.people.includes(message.person.id)) {
    await options.store.transaction((tx) => tx.sessions.addPerson(session, message.person.id));
  }
  const outcome = await options.engine.deliver(session.id, { key: message.key, body });
  return { type: outcome === "new" ? "accepted" : "duplicate" };
}

/** Two messages may open the same thread's session at once; the unique key decides, and both get the one. */
async function openSession(message: InboundMessage, options: IntakeOptions): Promise<SessionRow> {
  const { store, runtime } = options;
  const key = sessionKeyOf(message.thread);
  try {
    return await store.transaction((tx) =>
      tx.sessions.create({
        id: runtime.ids.next("ses"),
        key,
        thread: message.thread,
        workspaceName: message.workspace.name,
        channel: message.channel,
        agent: options.agentOf(`${message.thread.platform}:${message.thread.channelId}`),
        createdBy: message.person.id,
        at: runtime.clock.now(),
      }),
    );
  } catch (error) {
    const session = await store.sessions.byKey(key);
    if (session !== null) return session;
    throw error;
  }
}

async function receiveCommand(command: InboundCommand, options: Intake): Promise<Receipt> {
  const session = await sessionOf(command.thread, options);
  return answerCommand(command.name, { event: command, session }, options);
}

async function answerCommand(
  name: string,
  { event, session }: { event: InboundEvent; session: SessionRow | null },
  { store, engine, runtime, log, commandKeys, contextWindowOf }: Intake,
): Promise<Receipt> {
  if (commandKeys.has(event.key)) return { type: "duplicate" };
  commandKeys.add(event.key);
  forgetOldest(commandKeys);
  log.info({ command: name, person: event.person.id, sessionId: session?.id }, "command");
  const message = await runCommand(name, { store, engine, runtime, session, person: event.person, contextWindowOf });
  return { type: "reply", message };
}

function sessionOf(thread: ThreadRef, { store }: IntakeOptions): Promise<SessionRow | null> {
  return store.sessions.byKey(sessionKeyOf(thread));
}
