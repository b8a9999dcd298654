import { BoundedMap } from "../bounded-map.ts";
import { ThreadBreaker } from "../budget/thread-breaker.ts";
import type { Cluster } from "../cluster.ts";
import { agentAddress } from "../command-line/agent-address.ts";
import type { CommandServices } from "../command-line/command.ts";
import { completionsFor } from "../command-line/completions.ts";
import { commandRefusal } from "../command-line/may-use.ts";
import { typedCommand } from "../command-line/run-command.ts";
import { agentCommand, agentRefusal } from "../commands/agent.ts";
import { helpText } from "../commands/help.ts";
import { wakeSleepingRun } from "../engine/wake-sleeping-run.ts";
import { localCommandIn } from "../input/local-command-text.ts";
import { NO_BUTTON } from "../people/interaction.ts";
import { answerByMessage } from "../people/questions.ts";
import { accessRefusal } from "../permissions/access.ts";
import type { WorkspaceRefusalOf } from "../permissions/workspaces.ts";
import type {
  InboundAction,
  InboundCommand,
  InboundCompletion,
  InboundDeletion,
  InboundEvent,
  InboundMessage,
  InboundSurface,
  Receipt,
  Receive,
} from "../platform/inbound.ts";
import { reply } from "../platform/replies.ts";
import { sessionKeyOf } from "../platform/thread.ts";
import { assertNever } from "../protocol/assert-never.ts";
import type { RunHook } from "../run/run-hooks.ts";
import type { SessionRow } from "../store/sessions.ts";
import { receiveClick } from "./clicks.ts";
import { handleDeletion } from "./deleted-message.ts";
import { changedKey, editOf, handleCorrection } from "./edited-message.ts";
import type { FirstContact } from "./first-contact.ts";
import { homeView } from "./home-view.ts";
import { sessionOfMessage } from "./opening-thread.ts";
import { handleRequest, storeOverheard } from "./person-message.ts";
import { clickedPrompt, PROMPTS, type SuggestedPrompt } from "./prompts.ts";
import { type CommandIntake, commandContext, handleCommand, startRunWith } from "./typed-commands.ts";

export interface IntakeOptions extends CommandServices, Pick<CommandIntake, "log" | "announce" | "openPrivateThread"> {
  /** Whether messages in the channel must mention the bot, even in its threads. */
  readonly requiresMention: (channelKey: string) => boolean;
  readonly workspaceRefusal: WorkspaceRefusalOf;
  /** The replicas that may be taking messages as well, and their locks. */
  readonly cluster: Pick<Cluster, "size" | "lock">;
  /** Work that features do around runs. */
  readonly hooks: () => readonly RunHook[];
  /** Introduces Deckhand in new places. */
  readonly firstContact: FirstContact;
}

/** Maximum age of a channel join that is still greeted, in milliseconds. */
const MAX_JOIN_AGE_MS = 24 * 60 * 60_000;

/** Platforms usually deliver a message within this time, in milliseconds. A later one may be a redelivery. */
const PROMPT_MS = 3_000;

/** How long to wait for another process that is taking the same message, in milliseconds. */
const LOCK_WAIT_MS = 60_000;

/** Number of recent messages, and of recent commands, to remember. */
const MAX_TRACKED = 1_000;

interface Intake extends IntakeOptions, CommandIntake {
  /** Receipts of recent messages, by key. Slack delivers each mention twice, and the store should see it once. */
  readonly receipts: BoundedMap<string, Promise<Receipt>>;
}

/**
 * Interprets platform events: decides who sent an event, to which session it belongs, and whether it starts something.
 * An accepted message is durable when this resolves.
 */
export function createIntake(intakeOptions: IntakeOptions): Receive {
  const { store, runtime, cluster } = intakeOptions;
  const breaker = new ThreadBreaker({ store, clock: runtime.clock, cluster });
  const options: Intake = {
    ...intakeOptions,
    commandKeys: new BoundedMap(MAX_TRACKED),
    receipts: new BoundedMap(MAX_TRACKED),
    breaker,
  };
  return async (event) => {
    if (event.kind === "deletion") return receiveDeletion(event, options);
    const foreign = await options.workspaceRefusal(event);
    if (event.kind === "surface") return receiveSurface(event, foreign, options);
    const refusal = foreign ?? accessRefusal(event.person, options.access);
    if (refusal !== null) return refuse(event, refusal, options);
    switch (event.kind) {
      case "message":
        return takeOnce(event, options);
      case "command":
        return event.filled === undefined ? receiveCommand(event, options) : takeForm(event, options);
      case "completion":
        return complete(event, options);
      case "action":
        return takeClick(event, options);
      default:
        return assertNever(event);
    }
  };
}

async function refuse(event: InboundEvent, reason: string, options: Intake): Promise<Receipt> {
  if (!isAddressed(event)) return { type: "ignored" };
  if (event.kind !== "message") return { type: "refused", reason };
  return underMessageLock(event, options, async () => {
    if (event.edited !== undefined && (await options.store.presence.wasAnswered(event.key)))
      return { type: "duplicate" };
    await noteAnswered(event, options);
    return { type: "refused", reason };
  });
}

function isAddressed(event: InboundEvent): boolean {
  return event.kind !== "message" || event.addressed === "mention" || event.addressed === "dm";
}

/**
 * Handles a message once. Concurrent and later deliveries share its receipt. Across processes the unique key decides,
 * or a lock if the message is answered privately.
 */
function takeOnce(message: InboundMessage, options: Intake): Promise<Receipt> {
  const { receipts } = options;
  // The unedited message has a receipt of its own.
  const key = message.edited === undefined ? message.key : changedKey(message);
  const known = receipts.get(key);
  if (known !== undefined) return known;
  const take = () => answered(message, options);
  const taken = isPrivate(message, options) ? underMessageLock(message, options, take) : take();
  const receipt = taken.catch((error: unknown) => {
    receipts.delete(key);
    throw error;
  });
  receipts.set(key, receipt);
  return receipt;
}

/** Waits for messages that are being taken before withdrawing them, and ignores later deliveries of them. */
async function receiveDeletion(deletion: InboundDeletion, options: Intake): Promise<Receipt> {
  const { receipts } = options;
  for (const { key } of deletion.messages) {
    const taking = receipts.get(key);
    receipts.set(key, Promise.resolve({ type: "ignored" }));
    await taking?.catch(() => undefined); // its own delivery reports a failure
  }
  return handleDeletion(deletion, options);
}

/**
 * Handles a channel that Deckhand was added to, or a page that a person opened. People who are not served get no page.
 */
async function receiveSurface(opened: InboundSurface, foreign: string | null, options: Intake): Promise<Receipt> {
  if (opened.surface === "channel") {
    const isNews = foreign === null && options.runtime.clock.now() - opened.at < MAX_JOIN_AGE_MS;
    if (isNews) await options.firstContact.greet(opened);
    return { type: isNews ? "accepted" : "ignored" };
  }
  const refusal = foreign ?? accessRefusal(opened.person, options.access);
  if (refusal !== null) return { type: "refused", reason: refusal };
  if (opened.surface === "assistant") return { type: "prompts", prompts: PROMPTS };
  return { type: "home", view: await homeView(opened, options) };
}

/**
 * Takes a privately answered message, which has no row with a unique key, under a lock, so that only one process
 * answers it.
 */
async function underMessageLock(
  message: InboundMessage,
  options: Intake,
  take: () => Promise<Receipt>,
): Promise<Receipt> {
  const { cluster, store } = options;
  if (cluster.size() === 1) return take();
  const wait = { signal: AbortSignal.timeout(LOCK_WAIT_MS), queued: () => {} };
  using held = await cluster.lock(`message:${message.key}`, wait);
  const isDone = message.edited === undefined && (await store.presence.wasAnswered(message.key));
  if (isDone) return { type: "duplicate" };
  await held.requireHeld();
  return await take();
}

/** Whether a message is answered privately: a command, an empty message, or only an agent's name. */
function isPrivate({ text }: InboundMessage, { commands, agents }: Intake): boolean {
  return typedCommand(text, commands) !== null || text === "" || agentAddress(text, agents)?.prompt === "";
}

/**
 * Handles a message. Private answers are recorded, because they leave no event that would prevent another answer after
 * a restart.
 */
async function answered(arrived: InboundMessage, options: Intake): Promise<Receipt> {
  const edit = arrived.edited === undefined ? null : await editOf(arrived, options);
  if (arrived.edited === undefined ? await isOver(arrived, options) : edit === null) return { type: "duplicate" };
  if (edit?.type === "correction") return handleCorrection(edit, options);
  const message = edit?.message ?? arrived;
  const isFirst = await options.firstContact.isFirstWord(message);
  const receipt = await receiveMessage(message, options);
  if (isFirst) await options.firstContact.greet(message);
  if (receipt.type === "reply") await noteAnswered(message, options);
  return receipt;
}

/** Whether a late message was already answered privately or deleted. */
async function isOver({ key, at }: InboundMessage, { store, runtime }: Intake): Promise<boolean> {
  return runtime.clock.now() - at > PROMPT_MS && (await store.presence.wasAnswered(key));
}

function noteAnswered({ key }: InboundMessage, { store, runtime }: Intake): Promise<void> {
  return store.transaction((tx) => tx.presence.answered(key, runtime.clock.now()));
}

async function receiveMessage(message: InboundMessage, options: Intake): Promise<Receipt> {
  const session = await sessionOfMessage(message, options);
  if (!isAddressed(message) && !isFollowUp(message, session, options)) {
    return session === null ? { type: "ignored" } : storeOverheard(message, session, options);
  }
  const { text } = message;
  const command = typedCommand(text, options.commands);
  if (command !== null) return handleCommand(command, { event: message, session }, options);
  const hasMore = message.attachments.length > 0 || message.quoted.length > 0;
  if (text === "" && !hasMore) {
    return reply(helpText(commandContext({ event: message, session }, options)));
  }
  const address = agentAddress(text, options.agents);
  if (address === null) return answerOrRequest(message, session, options);
  const { agent, prompt } = address;
  if (prompt === "" && !hasMore) {
    return handleCommand({ name: "agent", line: agent.name }, { event: message, session }, options);
  }
  const context = commandContext({ event: message, session }, options);
  const changes = session !== null && session.agent !== agent.name;
  const refusal = agentRefusal(agent, context) ?? (changes ? commandRefusal(agentCommand, null, context) : null);
  if (refusal !== null) return reply(refusal);
  return handleRequest({ ...message, text: prompt }, { session, agent: agent.name }, options);
}

/** Takes a message as the answer to the session's open question, or else as a new request. */
async function answerOrRequest(message: InboundMessage, session: SessionRow | null, options: Intake): Promise<Receipt> {
  const request = () => handleRequest(message, { session, agent: null }, options);
  const mayAnswer = session !== null && localCommandIn(message.text) === null;
  if (mayAnswer && (await answerByMessage(message, session, { ...options, deliver: request })))
    return { type: "accepted" };
  const receipt = await request();
  if (session !== null) await wakeSleepingRun(session.id, message.key, options);
  return receipt;
}

/**
 * Whether the message continues a conversation: a person who has addressed the agent in a thread need not mention it
 * again there.
 */
function isFollowUp(message: InboundMessage, session: SessionRow | null, options: IntakeOptions): boolean {
  if (session === null || message.addressed === "other") return false;
  return session.people.includes(message.person.id) && !options.requiresMention(session.channelKey);
}

/** Handles a click if the person can see the channel. */
async function takeClick(click: InboundAction, options: Intake): Promise<Receipt> {
  if (await isFromInside(click, click.action, options))
    return clickedCommand(click, options) ?? receiveClick(click, options);
  return reply(NO_BUTTON);
}

/** Handles a submitted form, which names its thread by itself, if the person can see the channel. */
async function takeForm(form: InboundCommand, options: Intake): Promise<Receipt> {
  if (await isFromInside(form, `/${form.name}`, options)) return receiveCommand(form, options);
  return reply("This form no longer works.");
}

async function isFromInside(event: InboundAction | InboundCommand, action: string, options: Intake): Promise<boolean> {
  const { thread, person } = event;
  const isInside = await options.canSeeChannel(thread, person);
  if (!isInside) options.log.warn({ action, person: person.id, thread }, "click_from_outside");
  return isInside;
}

/**
 * Handles buttons that stand for words, `prompt:<id>`, or for a command, such as `jobs:add`. Null for other buttons.
 */
function clickedCommand(click: InboundAction, options: Intake): Promise<Receipt> | null {
  const prompt = clickedPrompt(click.action);
  if (prompt !== null) return receivePrompt(click, prompt, options);
  const [, name, args] = /^([a-z-]+):(.+)$/s.exec(click.action) ?? [];
  const command = options.commands.find((each) => each.name === name && each.hasButtons === true);
  if (command === undefined || name === undefined || args === undefined) return null;
  const { action: _action, ...event } = click;
  return receiveCommand({ ...event, kind: "command", name, args }, options);
}

/** Handles a suggested prompt as if the person had written it in the place of the button. */
async function receivePrompt(click: InboundAction, { message }: SuggestedPrompt, options: Intake): Promise<Receipt> {
  const { action: _action, ...place } = click;
  const typed = typedCommand(message, options.commands);
  const event = { ...place, kind: "command", name: typed?.name ?? "", args: typed?.line ?? "" } as const;
  if (typed !== null) return receiveCommand(event, options);
  const session = await options.store.sessions.byKey(sessionKeyOf(event.thread));
  return startRunWith(message, { event, session }, options);
}

async function complete(event: InboundCompletion, options: Intake): Promise<Receipt> {
  const session = await options.store.sessions.byKey(sessionKeyOf(event.thread));
  const asked = { ...event, kind: "command", name: event.command, args: "" } as const;
  const words = await completionsFor(event, commandContext({ event: asked, session }, options));
  return { type: "completions", words };
}

async function receiveCommand(event: InboundCommand, options: Intake): Promise<Receipt> {
  const session = await options.store.sessions.byKey(sessionKeyOf(event.thread));
  return handleCommand({ name: event.name, line: event.args }, { event, session }, options);
}
