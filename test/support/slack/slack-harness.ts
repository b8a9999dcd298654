import { createSlackPlatform, type SlackOptions } from "../../../src/adapters/slack/adapter.ts";
import type { ChatPlatform } from "../../../src/core/platform/chat-platform.ts";
import type { PostedMessage } from "../../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import type { Log } from "../../../src/core/protocol/log.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import type { Noise, PersonName, PlatformHarness, Said, SayOptions } from "../../contracts/platform-harness.ts";
import { readableText } from "./slack-blocks.ts";
import type { Delivery } from "./slack-deliveries.ts";
import type { SlackSaid, Speech } from "./slack-people.ts";
import { type SlackServer, startSlackServer } from "./slack-server.ts";

const USERS: Readonly<Record<PersonName, string>> = { ana: "U0ANA", bob: "U0BOB" };

export interface CountingLog extends Log {
  readonly warnings: { readonly event: string; readonly fields: object }[];
}

export function countingLog(): CountingLog {
  const warnings: { event: string; fields: object }[] = [];
  const keep = (fields: object, event: string) => {
    warnings.push({ event, fields });
  };
  const log: CountingLog = { warnings, debug() {}, info() {}, warn: keep, error: keep, child: () => log };
  return log;
}

export interface SlackHarness extends PlatformHarness {
  readonly server: SlackServer;
  readonly log: CountingLog;
  /** Creates an adapter for the server; stopped with the harness. */
  adapter(options?: Partial<SlackOptions>): ChatPlatform;
}

export async function openSlackHarness(mode: "socket" | "http" = "socket"): Promise<SlackHarness> {
  const server = await startSlackServer({
    retryDelaysMs: [0, 50, 100, 200, 400, 800, 1_600, 3_200],
    answerWithinMs: 300,
  });
  const log = countingLog();
  const adapters: ChatPlatform[] = [];
  const adapter = (options: Partial<SlackOptions> = {}): ChatPlatform => {
    const { apiUrl, botToken, appToken, signingSecret } = server;
    const platform = createSlackPlatform({
      botToken,
      apiUrl,
      mode:
        mode === "socket" ? { type: "socket", appToken } : { type: "http", signingSecret, host: "127.0.0.1", port: 0 },
      clock: systemRuntime().clock,
      log,
      ...options,
    });
    const listening = mode === "http" ? announceHttp(platform, server) : platform;
    adapters.push(listening);
    return listening;
  };
  return {
    server,
    log,
    adapter,
    platform: adapter(),
    another: () => adapter(),
    wrongToken: () => adapter({ botToken: "xoxb-wrong" }),
    ...speech(server),
    ...faults(server, mode),
    noise: mode === "socket" ? [...noise(server), ...socketNoise(server)] : noise(server),
    personId: (person) => `slack:${USERS[person]}`,
    visible: (thread) => Promise.resolve(visible(server, thread)),
    ephemeralsTo: (person) =>
      Promise.resolve(server.workspace.ephemerals.filter(({ user }) => user === USERS[person]).map(readableText)),
    warnings: () => log.warnings.length,
    openConnections: () => server.deliveries.openSockets,
    async [Symbol.asyncDispose]() {
      await Promise.all(adapters.map((each) => each.stop()));
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Tells the server the adapter's address, as an operator does in Slack's settings. */
function announceHttp(platform: ChatPlatform, server: SlackServer): ChatPlatform {
  const start = platform.start.bind(platform);
  platform.start = async (receive, signal) => {
    await start(receive, signal);
    server.deliveries.useHttp(platform.health().detail.replace(/^listening on /u, ""));
  };
  return platform;
}

function speech(server: SlackServer) {
  const { people } = server;
  const speechOf = (text: string, { as = "ana", file, quoting }: SayOptions = {}): Speech => ({
    text,
    user: USERS[as],
    ...(file === undefined ? {} : { file }),
    ...(quoting === undefined ? {} : { quoting }),
  });
  const said = (said: SlackSaid): Said => ({
    messageId: said.ts,
    isAnswered: () => said.isAnswered(),
    answered: said.answered,
  });
  const inside = (thread: ThreadRef): Partial<Speech> => ({
    channel: thread.channelId,
    ...(thread.threadId === null ? {} : { threadTs: thread.threadId }),
  });
  return {
    mention: (text: string, options?: SayOptions) => Promise.resolve(said(people.mention(speechOf(text, options)))),
    reply: (thread: ThreadRef, text: string, options?: SayOptions) =>
      Promise.resolve(said(people.say({ ...speechOf(text, options), ...inside(thread) }))),
    mentionIn: (thread: ThreadRef, text: string, options?: SayOptions) =>
      Promise.resolve(said(people.mention({ ...speechOf(text, options), ...inside(thread) }))),
    replyToBob: (thread: ThreadRef, text: string) =>
      Promise.resolve(said(people.say({ ...speechOf(`<@${USERS.bob}> ${text}`), ...inside(thread) }))),
    dm: (text: string) => Promise.resolve(said(people.say({ ...speechOf(text), channel: "D0001" }))),
    click(posted: PostedMessage, actionId: string, as: PersonName = "ana") {
      const delivery: Delivery = people.click(posted.channelId, posted.messageId, { actionId, user: USERS[as] });
      return Promise.resolve({
        messageId: posted.messageId,
        isAnswered: () => delivery.isAnswered(),
        answered: delivery.answered,
      });
    },
    redeliver({ messageId }: Said) {
      const message = server.workspace.messages.find(({ ts }) => ts === messageId);
      if (message !== undefined) people.deliver(message);
      return Promise.resolve();
    },
  };
}

function faults({ faults, workspace, scopes, deliveries }: SlackServer, mode: "socket" | "http") {
  return {
    loseNextPostResponse: () => faults.add("chat.postMessage", { kind: "lost" }),
    rateLimitNext: (kind: "post" | "edit", retryAfterMs: number) =>
      faults.add(kind === "post" ? "chat.postMessage" : "chat.update", {
        kind: "rate_limited",
        retryAfterS: Math.ceil(retryAfterMs / 1_000),
      }),
    failNextPost: () => faults.add("chat.postMessage", { kind: "status", status: 503 }),
    deleteThread(thread: ThreadRef) {
      workspace.channel(thread.channelId).gone = true;
    },
    withholdPermission() {
      scopes.delete("chat:write");
      return "chat:write";
    },
    async dropConnection() {
      // HTTP has no lasting connection to break, since each delivery is a request of its own.
      if (mode === "http") return;
      const again = deliveries.nextConnection();
      deliveries.cut("break");
      await again;
    },
  };
}

function visible(server: SlackServer, { channelId, threadId }: ThreadRef) {
  const names = new Map(Object.entries(USERS).map(([name, id]) => [id, name]));
  return server.thread(channelId, threadId ?? "").map(({ ts, user, byBot, edited: _edited, ...message }) => {
    const person = names.get(user);
    const by = byBot ? "bot" : person === "ana" || person === "bob" ? person : "other";
    return { ...message, messageId: ts, by } as const;
  });
}

function noise(server: SlackServer): Noise[] {
  const { people, workspace } = server;
  const event = (name: string, logged: boolean, fields: (thread: ThreadRef) => Record<string, unknown>): Noise => ({
    name,
    logged,
    deliver: (thread) => people.event(fields(thread)).answered,
  });
  const base = ({ channelId, threadId }: ThreadRef) => ({
    type: "message",
    channel: channelId,
    channel_type: "channel",
    ts: workspace.nextTs(),
    thread_ts: threadId,
  });
  const mention = `<@${workspace.botUserId}> hello`;
  return [
    event("own message", false, (t) => ({ ...base(t), user: workspace.botUserId, bot_id: "B0001", text: mention })),
    event("another bot", false, (t) => ({ ...base(t), user: "U0BOT2", bot_id: "B0002", text: mention })),
    event("an old bot", false, (t) => ({ ...base(t), subtype: "bot_message", bot_id: "B0002", text: mention })),
    event("an edit", false, (t) => ({
      ...base(t),
      subtype: "message_changed",
      hidden: true,
      message: { user: "U0ANA", text: mention, ts: "1.0" },
    })),
    event("a deletion", false, (t) => ({ ...base(t), subtype: "message_deleted", deleted_ts: "1.0", hidden: true })),
    event("a join", false, (t) => ({ ...base(t), subtype: "channel_join", user: "U0ANA", text: mention })),
    event("a reaction", false, () => ({ type: "reaction_added", user: "U0ANA", reaction: "eyes" })),
    event("an unknown event", false, () => ({ type: "future_event", shape: [1] })),
    event("a malformed message", true, (t) => ({ ...base(t), channel: 7 })),
  ];
}

/** What a socket may carry besides envelopes. */
function socketNoise({ deliveries }: SlackServer): Noise[] {
  const raw = (name: string, text: string): Noise => ({
    name,
    logged: true,
    deliver() {
      deliveries.raw(text);
      return Promise.resolve();
    },
  });
  return [
    raw("a malformed envelope", '{"type":"events_api","envelope_id":"e","payload":{}}'),
    raw("an envelope that is no object", "null"),
    raw("something that is not JSON", "{oops"),
    raw("an event named like one of the SDK's", '{"type":"events_api","payload":{"event":{"type":"close"}}}'),
  ];
}
