import type { Client } from "discord.js";
import type { z } from "zod";
import { BoundedMap } from "../../core/bounded-map.ts";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import type { InboundMessage, Receipt, Receive } from "../../core/platform/inbound.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { privateAnswer } from "../render/private-answer.ts";
import type { Channels } from "./channels.ts";
import type { Ephemerals } from "./ephemerals.ts";
import { nullOnDiscordError } from "./errors.ts";
import { MESSAGE_GONE } from "./history.ts";
import { type ChannelContext, inboundMessage, isFromPerson, messageKey } from "./inbound.ts";
import { type MemberAcrossGuilds, memberOf } from "./members.ts";
import {
  deletionSchema,
  editSchema,
  pushedMessageSchema,
  type WireMessage,
  wholeUpdateSchema,
} from "./message/message-schema.ts";
import type { NamesIn } from "./message/named-people.ts";
import type { WireMember } from "./message/person-schema.ts";
import { readMessage } from "./message/read-message.ts";
import { withReferencedMessage } from "./message/referenced-message.ts";
import type { Names } from "./message/text.ts";
import type { DiscordRest } from "./rest.ts";
import { timeOf } from "./snowflake.ts";
import type { Threads } from "./threads.ts";

/** Waits between attempts to handle an event, which the gateway sends only once. In milliseconds. */
const RETRY_PAUSES_MS = [250, 1_000, 4_000, 15_000];

/** An update of a message edited longer ago than this is about something else. In milliseconds. */
const EDITED_LATELY_MS = 10 * 60_000;
/** Time within which the comment on a forward follows it. In milliseconds. */
const COMMENTED_WITHIN_MS = 10_000;
/** Maximum number of channels whose newest forward is remembered. */
const FORWARDS = 500;

/** What the parts of the adapter share while it is connected. */
export interface DiscordScope {
  readonly client: Client<true>;
  readonly rest: DiscordRest;
  readonly channels: Channels;
  readonly memberAcrossGuilds: MemberAcrossGuilds;
  readonly namesIn: NamesIn;
  readonly threads: Threads;
  readonly ephemerals: Ephemerals;
  readonly receive: Receive;
  /** Emoji with which people point out messages to the bot: characters, or names of custom emoji. */
  readonly reactions: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts waits between attempts. */
  readonly signal: AbortSignal;
}

export interface Messages {
  posted(data: unknown): Promise<void>;
  edited(data: unknown): Promise<void>;
  deleted(data: unknown): Promise<void>;
}

/** Handles the messages of each channel one after the other, so that they stay in order. */
export function createMessages(options: DiscordScope): Messages {
  const channels = new KeyedMutex();
  const forwards = new BoundedMap<string, WireMessage>(FORWARDS);
  const take = async (message: WireMessage, editedAt: number | null): Promise<void> => {
    const forward = forwards.get(message.channel_id);
    if (message.message_snapshots.length > 0) forwards.set(message.channel_id, message);
    const commented = isCommentTo(forward, message) ? forward : undefined;
    const arrival = { message, editedAt, commented };
    const received = await untilReceived(options, message.id, () => receiveOnce(options, arrival));
    if (received !== null) await sendPrivateAnswer(options, received);
  };
  return {
    posted: async (data) => {
      const parsed = pushedMessageSchema.safeParse(data);
      if (!parsed.success) {
        options.log.warn({ issues: parsed.error.issues.slice(0, 3) }, "discord.message_not_understood");
        return;
      }
      const message = parsed.data;
      if (message.author.id !== options.channels.names.botId)
        await channels.run(message.channel_id, () => take(message, null));
    },
    edited: async (data) => {
      const edit = editSchema.safeParse(data).data;
      if (edit === undefined) return;
      const editedAt = Date.parse(edit.edited_timestamp);
      if (editedAt < options.clock.now() - EDITED_LATELY_MS) return;
      await channels.run(edit.channel_id, async () => {
        const message = await untilReceived(options, edit.id, () => completeMessage(options, data, edit));
        if (message !== null && message.author.id !== options.channels.names.botId) await take(message, editedAt);
      });
    },
    deleted: async (data) => {
      const deletion = deletionSchema.safeParse(data).data;
      if (deletion === undefined) return;
      const { channel_id, ids } = deletion;
      const messages = ids.map((id) => ({ key: messageKey(id), at: timeOf(id) }));
      const receive = () => options.receive({ kind: "deletion", messages });
      await channels.run(channel_id, () => untilReceived(options, ids[0], receive));
    },
  };
}

/** The whole message, since an update may omit what has not changed. Null if the message is gone. */
async function completeMessage(
  { rest }: DiscordScope,
  data: unknown,
  { channel_id, id, guild_id }: z.infer<typeof editSchema>,
): Promise<WireMessage | null> {
  const pushed = wholeUpdateSchema.safeParse(data).data;
  const message = pushed ?? (await nullOnDiscordError(MESSAGE_GONE, rest.message(channel_id, id)));
  return message === null ? null : { ...message, guild_id };
}

/** The roles of a message's author, which direct messages never name, and some updates leave out. */
async function authorsMember(
  { rest, memberAcrossGuilds }: DiscordScope,
  { author, member, guild_id }: WireMessage,
): Promise<WireMember | undefined> {
  if (guild_id === undefined) return memberAcrossGuilds(author.id);
  return member ?? (await memberOf(rest, guild_id, author.id)) ?? undefined;
}

/** Whether a message comments on a forward, since Discord posts the two as separate messages. */
function isCommentTo(forward: WireMessage | undefined, { author, id }: WireMessage): forward is WireMessage {
  if (forward === undefined || forward.author.id !== author.id) return false;
  return timeOf(id) - timeOf(forward.id) < COMMENTED_WITHIN_MS;
}

interface Arrival {
  readonly message: WireMessage;
  /** When the message was edited; null for a new one. */
  readonly editedAt: number | null;
  /** The forward that this message may comment on. */
  readonly commented: WireMessage | undefined;
}

export interface Received {
  readonly event: InboundMessage;
  readonly receipt: Receipt;
}

/** Repeats what the gateway sends only once until it has been handled. Rejects with the failure of the last attempt. */
export async function untilReceived<T>(
  { log, clock, signal }: DiscordScope,
  messageId: string | undefined,
  receive: () => Promise<T>,
): Promise<T> {
  for (const pauseMs of RETRY_PAUSES_MS) {
    try {
      return await receive();
    } catch (error) {
      log.warn({ err: error, messageId, pauseMs }, "discord.message_not_received");
    }
    await clock.sleep(pauseMs, signal);
  }
  return receive();
}

async function receiveOnce(
  options: DiscordScope,
  { message: came, editedAt, commented }: Arrival,
): Promise<Received | null> {
  const { rest, log, channels, namesIn, threads, receive } = options;
  const message = isFromPerson(came) ? await withReferencedMessage(came, { rest, log }) : came;
  const place = await channels.of(message.channel_id, message.guild_id);
  if (place.threadId !== null) threads.existed(place.threadId);
  const member = isFromPerson(message) ? await authorsMember(options, message) : undefined;
  const names = isFromPerson(message) ? await namesIn([message], message.guild_id) : channels.names;
  const written = inboundMessage({ ...message, member }, place, { ...channels, names });
  if (written === null) return null;
  const asked: InboundMessage = editedAt === null ? written : { ...written, at: editedAt, edited: "now" };
  const isComment = commented !== undefined && asked.opensThread && channels.serves(asked.person);
  const event = isComment ? withForward(asked, commented, names) : asked;
  // A forum post has its thread from the beginning.
  if (event.opensThread && place.threadId === null) threads.expect(event);
  return { event, receipt: await receive(event) };
}

function withForward(event: InboundMessage, forward: WireMessage, names: Names): InboundMessage {
  const { quoted, files } = readMessage(forward, names);
  return { ...event, quoted: [...event.quoted, ...quoted], attachments: [...event.attachments, ...files] };
}

/** Announces the thread of a message that somebody pointed out; nothing was read of it for somebody who is not served. */
export function expectThread({ channels, threads }: DiscordScope, place: ChannelContext, event: InboundMessage): void {
  if (place.opensThreads && channels.serves(event.person)) threads.expect({ ...event, text: event.quoted.join("\n") });
}

/** Sends the core's immediate answer to the person privately. */
export async function sendPrivateAnswer(
  { ephemerals }: Pick<DiscordScope, "ephemerals">,
  { event, receipt }: Received,
): Promise<void> {
  const answer = privateAnswer(receipt);
  if (answer !== null) await ephemerals.post(event.thread, event.person.id, answer);
}
