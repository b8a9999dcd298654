import type { Client } from "discord.js";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { InboundMessage, Receipt, Receive } from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { privateAnswer } from "../render/private-answer.ts";
import type { Channels } from "./channels.ts";
import type { Ephemerals } from "./ephemerals.ts";

import { isNotThere } from "./history.ts";
import { inboundMessage } from "./inbound.ts";
import type { MemberEverywhere } from "./members.ts";
import { editSchema, pushedMessageSchema, type WireMessage, wholeUpdateSchema } from "./message/message-schema.ts";
import type { DiscordRest } from "./rest.ts";
import type { Threads } from "./threads.ts";

/** Pauses before a message that could not be received is tried again: the gateway sends it once only. Milliseconds. */
const RETRY_PAUSES_MS = [250, 1_000, 4_000, 15_000];

/** An update of a message that was edited longer ago than this is about something else. Milliseconds. */
const EDITED_LATELY_MS = 10 * 60_000;

/** What the parts of the adapter share while it is connected. */
export interface DiscordScope {
  readonly client: Client<true>;
  readonly rest: DiscordRest;
  readonly channels: Channels;
  readonly memberEverywhere: MemberEverywhere;
  readonly threads: Threads;
  readonly ephemerals: Ephemerals;
  readonly receive: Receive;
  /** Emoji by which people point a message out to us: signs, or names of custom ones. */
  readonly reactions: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the waiting between tries. */
  readonly signal: AbortSignal;
}

export interface Messages {
  posted(data: unknown): Promise<void>;
  edited(data: unknown): Promise<void>;
}

/** Messages of one channel are received one after the other, so that nothing overtakes what was said before. */
export function createMessages(options: DiscordScope): Messages {
  const channels = new KeyedMutex();
  const take = (message: WireMessage, editedAt: number | null): Promise<void> =>
    channels.run(message.channel_id, async () => {
      const received = await untilReceived(options, message, editedAt);
      if (received !== null) await tell(options, received);
    });
  return {
    posted: async (data) => {
      const parsed = pushedMessageSchema.safeParse(data);
      if (!parsed.success) {
        options.log.warn({ issues: parsed.error.issues.slice(0, 3) }, "discord.message_not_understood");
        return;
      }
      if (parsed.data.author.id !== options.channels.names.botId) await take(parsed.data, null);
    },
    edited: async (data) => {
      const edit = editSchema.safeParse(data).data;
      // In direct messages each one was a request when it came.
      if (edit?.guild_id === undefined) return;
      const editedAt = Date.parse(edit.edited_timestamp);
      if (editedAt < options.clock.now() - EDITED_LATELY_MS) return;
      const message = await wholeOf(options, data, { ...edit, guild_id: edit.guild_id });
      if (message !== null && message.author.id !== options.channels.names.botId) await take(message, editedAt);
    },
  };
}

/** An update need not repeat what has not changed. Null when the message is gone. */
async function wholeOf(
  { rest }: DiscordScope,
  data: unknown,
  { channel_id, id, guild_id }: { readonly channel_id: string; readonly id: string; readonly guild_id: string },
): Promise<WireMessage | null> {
  const pushed = wholeUpdateSchema.safeParse(data);
  if (pushed.success) return pushed.data;
  try {
    const message = await rest.message(channel_id, id);
    const member = message.author.bot === true ? undefined : await rest.member(guild_id, message.author.id);
    return { ...message, guild_id, member };
  } catch (error) {
    if (isNotThere(error)) return null;
    throw error;
  }
}

interface Received {
  readonly event: InboundMessage;
  readonly receipt: Receipt;
}

async function untilReceived(
  options: DiscordScope,
  message: WireMessage,
  editedAt: number | null,
): Promise<Received | null> {
  for (const pauseMs of RETRY_PAUSES_MS) {
    try {
      return await receiveOnce(options, message, editedAt);
    } catch (error) {
      options.log.warn({ err: error, messageId: message.id, pauseMs }, "discord.message_not_received");
    }
    await options.clock.sleep(pauseMs, options.signal);
  }
  return receiveOnce(options, message, editedAt);
}

async function receiveOnce(
  { channels, threads, memberEverywhere, receive }: DiscordScope,
  message: WireMessage,
  editedAt: number | null,
): Promise<Received | null> {
  const place = await channels.of(message.channel_id, message.guild_id);
  if (place.threadId !== null) threads.existed(place.threadId);
  const member = place.channel.kind === "dm" ? await memberEverywhere(message.author.id) : message.member;
  const written = inboundMessage({ ...message, member }, place, channels);
  const event = written === null || editedAt === null ? written : editedMention(written, editedAt);
  if (event === null) return null;
  // A forum's post has its thread from the beginning.
  if (event.opensThread && place.threadId === null) threads.expect(event);
  return { event, receipt: await receive(event) };
}

/** An edit that leaves the bot unmentioned asks nothing. It was asked when it was edited, after what was said meanwhile. */
function editedMention(event: InboundMessage, at: number): InboundMessage | null {
  return event.addressed === "mention" ? { ...event, at, isEdited: true } : null;
}

/** What the core answers at once is for the person alone. */
export async function tell(
  { ephemerals }: Pick<DiscordScope, "ephemerals">,
  { event, receipt }: Received,
): Promise<void> {
  const answer = privateAnswer(receipt);
  if (answer !== null) await ephemerals.post(event.thread, event.person.id, answer);
}
