import { BoundedMap } from "../bounded-map.ts";
import type { CommandServices } from "../command-line/command.ts";
import { hostsText } from "../commands/help.ts";
import { MODE_WORDS } from "../commands/mode.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { ChatPlatform, InboundEvent, OutgoingMessage, PlatformName, ThreadRef } from "../protocol/platform.ts";
import { channelKeyOf } from "../store/sessions.ts";
import { promptButtons } from "./prompts.ts";

export interface FirstContactOptions
  extends Pick<CommandServices, "store" | "runtime" | "configOf" | "agentOf" | "allowedHosts"> {
  readonly log: Log;
  readonly platform: (name: PlatformName) => Pick<ChatPlatform, "post" | "find" | "descriptor">;
}

export interface FirstContact {
  /** Whether the message is the first that somebody writes to Deckhand directly. */
  isFirstWord(event: InboundEvent): Promise<boolean>;
  /** Says in the event's channel who is there, once, also across restarts. Never rejects. */
  greet(event: Pick<InboundEvent, "thread" | "channel">): Promise<void>;
}

/** Channels that are known to have been greeted. */
const REMEMBERED = 5_000;

export function createFirstContact(options: FirstContactOptions): FirstContact {
  const { store, log } = options;
  const greeted = new BoundedMap<string, true>(REMEMBERED);
  const greeting = new Map<string, Promise<void>>();
  const greetOnce = async ({ thread, channel }: Pick<InboundEvent, "thread" | "channel">, channelKey: string) => {
    try {
      const message = greetingOf(options, { channelKey, isDirect: channel.kind === "dm" });
      await postOnce(options, { ...thread, threadId: null }, message);
      greeted.set(channelKey, true);
    } catch (error) {
      const { code, detail } = toAppError(error);
      log.warn({ ...detail, channelKey, code }, "greeting_not_posted");
    }
  };
  return {
    async isFirstWord({ kind, thread, channel }) {
      const channelKey = channelKeyOf(thread);
      if (kind !== "message" || channel.kind !== "dm" || greeted.has(channelKey)) return false;
      if (options.platform(thread.platform).descriptor.isOwn) return false;
      if (!(await store.sessions.isIn(channelKey))) return true;
      greeted.set(channelKey, true);
      return false;
    },
    async greet(event) {
      const channelKey = channelKeyOf(event.thread);
      if (greeted.has(channelKey)) return;
      const under = greeting.get(channelKey) ?? greetOnce(event, channelKey);
      greeting.set(channelKey, under);
      await under;
      greeting.delete(channelKey);
    },
  };
}

/** The intent is durable before the post; one without an outcome is looked for before it is posted again. */
async function postOnce(
  { store, runtime, platform }: FirstContactOptions,
  thread: ThreadRef,
  message: OutgoingMessage,
): Promise<void> {
  const key = `first-contact:${channelKeyOf(thread)}`;
  const known = await store.posts.get(key);
  if (known?.state === "sent") return;
  const target = platform(thread.platform);
  const at = runtime.clock.now();
  const found = known === null ? null : await target.find(thread, key, known.intentAt);
  if (found === null) {
    const nobodys = { runId: "", sessionId: "" };
    await store.transaction((tx) =>
      known === null ? tx.posts.intend({ key, ...nobodys, at }) : tx.posts.renew(key, at),
    );
  }
  const posted = found ?? (await target.post(thread, message, key));
  await store.transaction((tx) => tx.posts.sent(key, posted, runtime.clock.now()));
}

interface GreetedChannel {
  /** `slack:C1` */
  readonly channelKey: string;
  readonly isDirect: boolean;
}

/** Three lines: what it can do here, how to begin, what it may touch. */
export function greetingOf(
  options: Pick<FirstContactOptions, "configOf" | "agentOf" | "allowedHosts">,
  place: GreetedChannel,
): OutgoingMessage {
  return {
    lane: "first",
    markdown: introduction(options, place).join("\n"),
    tone: "plain",
    buttons: promptButtons(),
    files: [],
  };
}

export function introduction(
  { configOf, agentOf, allowedHosts }: Pick<FirstContactOptions, "configOf" | "agentOf" | "allowedHosts">,
  { channelKey, isDirect }: GreetedChannel,
): readonly string[] {
  const { mode } = configOf({ channelKey, agent: agentOf(channelKey), settings: {} });
  const where = isDirect ? "here" : "in this channel";
  return [
    `I'm Deckhand. I read, search, change and run things ${where}, follow skills, and keep scheduled jobs.`,
    isDirect
      ? "Write to me what you want done; I show each step. `/help` lists what there is."
      : "Mention me with what you want done; I answer in a thread and show each step there. `/help` lists what there is.",
    `Mode **${mode}**: ${MODE_WORDS[mode]}. I work in a directory of my own for ${isDirect ? "us" : "this channel"} and touch nothing outside it; ${hostsText({ allowedHosts })}.`,
  ];
}
