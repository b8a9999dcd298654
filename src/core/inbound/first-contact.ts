import { BoundedMap } from "../bounded-map.ts";
import type { Cluster } from "../cluster.ts";
import type { CommandServices } from "../command-line/command.ts";
import { hostsText } from "../commands/help.ts";
import { MODE_WORDS } from "../commands/mode.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { InboundEvent } from "../platform/inbound.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import { channelKeyOf, type PlatformName, type ThreadRef } from "../platform/thread.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import { promptButtons } from "./prompts.ts";

export interface FirstContactOptions
  extends Pick<CommandServices, "store" | "runtime" | "configOf" | "agentOf" | "allowedHosts"> {
  readonly log: Log;
  readonly admins: readonly string[];
  readonly platform: (name: PlatformName) => Pick<ChatPlatform, "post" | "find" | "descriptor">;
  /** Tells whether other processes may greet as well. */
  readonly cluster: Pick<Cluster, "isShared">;
}

export interface FirstContact {
  /** Whether this is the first message that somebody writes directly to Deckhand. */
  isFirstWord(event: InboundEvent): Promise<boolean>;
  /** Introduces Deckhand in the event's channel, once even across restarts. Never rejects. */
  greet(event: Greeted): Promise<void>;
}

type Greeted = Pick<InboundEvent, "thread" | "channel" | "person">;

/** Post key that records that the request to name admins was made. It goes once, to whoever is greeted first. */
const ADMINS_ASKED = "first-contact:admins";

/** Maximum number of greeted channels to remember. */
const MAX_GREETED = 5_000;

export function createFirstContact(options: FirstContactOptions): FirstContact {
  const { store, log } = options;
  const greeted = new BoundedMap<string, true>(MAX_GREETED);
  const greeting = new Map<string, Promise<void>>();
  const greetOnce = async ({ thread, channel, person }: Greeted, channelKey: string) => {
    try {
      const asks = options.admins.length === 0 && (await store.posts.get(ADMINS_ASKED)) === null;
      const place = { channelKey, isDirect: channel.kind === "dm" };
      const lines = [...introduction(options, place), ...(asks ? [adminsWanted(person)] : [])];
      const card = { markdown: lines.join("\n"), buttons: promptButtons() };
      const message: OutgoingMessage = { lane: "first", tone: "plain", ...card, files: [] };
      await postOnce(options, { ...thread, threadId: null }, { message, also: asks ? [ADMINS_ASKED] : [] });
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

/** How long another process is assumed to be greeting, in milliseconds. */
const GREETING_MS = 60_000;

/**
 * Posts the greeting once: the intent is stored before the post, and an intent without an outcome is looked for before
 * it is posted again.
 */
async function postOnce(
  { store, runtime, platform, cluster }: FirstContactOptions,
  thread: ThreadRef,
  { message, also }: { readonly message: OutgoingMessage; readonly also: readonly string[] },
): Promise<void> {
  const key = `first-contact:${channelKeyOf(thread)}`;
  const known = await store.posts.get(key);
  if (known?.state === "sent") return;
  const target = platform(thread.platform);
  const at = runtime.clock.now();
  if (cluster.isShared && known !== null && at - known.intentAt < GREETING_MS) return;
  const found = known === null ? null : await target.find(thread, key, known.intentAt);
  if (found === null) {
    const nobodys = { runId: "", sessionId: "" };
    await store.transaction((tx) =>
      known === null ? tx.posts.intend({ key, ...nobodys, at }) : tx.posts.renew(key, at),
    );
  }
  const posted = found ?? (await target.post(thread, message, key));
  await store.transaction(async (tx) => {
    await tx.posts.sent(key, posted, runtime.clock.now());
    for (const done of also) await tx.posts.intend({ key: done, runId: "", sessionId: "", at });
  });
}

function adminsWanted({ id }: Greeted["person"]): string {
  return `There is no admin yet. Whoever runs me can make you one with \`"access": { "admins": ["${id}"] }\` in the settings file.`;
}

/** Three lines: what Deckhand does, how to begin, and what it may touch. */
export function introduction(
  { configOf, agentOf, allowedHosts }: Pick<FirstContactOptions, "configOf" | "agentOf" | "allowedHosts">,
  { channelKey, isDirect }: { readonly channelKey: string; readonly isDirect: boolean },
): readonly string[] {
  const { mode } = configOf({ channelKey, agent: agentOf(channelKey), settings: {} });
  const where = isDirect ? "here" : "in this channel";
  return [
    `I'm Deckhand. I read, search, change and run things ${where}, follow skills, and run scheduled jobs.`,
    isDirect
      ? "Tell me what you want done; I show each step. `/help` lists all commands."
      : "Mention me and say what you want done; I answer in a thread and show each step there. `/help` lists all commands.",
    `Mode **${mode}**: ${MODE_WORDS[mode]}. I work in a directory of my own for ${isDirect ? "us" : "this channel"} and touch nothing outside it; ${hostsText({ allowedHosts })}.`,
  ];
}
