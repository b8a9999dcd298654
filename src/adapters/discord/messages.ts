import type { Log } from "../../core/protocol/log.ts";
import type { InboundMessage, Receipt, Receive } from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { createInOrder } from "../render/in-order.ts";
import { notice } from "./format.ts";
import { inboundMessage } from "./inbound.ts";
import type { MemberEverywhere } from "./members.ts";
import { pushedMessageSchema, type WireMessage } from "./message/message-schema.ts";
import type { Places } from "./places.ts";
import type { Threads } from "./threads.ts";
import type { Whispers } from "./whispers.ts";

/** Pauses before a message that could not be received is tried again: the gateway sends it once only. Milliseconds. */
const RETRY_PAUSES_MS = [250, 1_000, 4_000, 15_000];

export interface MessagesOptions {
  readonly places: Places;
  readonly memberEverywhere: MemberEverywhere;
  readonly threads: Threads;
  readonly whispers: Whispers;
  readonly receive: Receive;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the waiting between tries. */
  readonly signal: AbortSignal;
}

/** Messages of one channel are received one after the other, so that nothing overtakes what was said before. */
export function createMessages(options: MessagesOptions): (data: unknown) => Promise<void> {
  const inOrder = createInOrder();
  return async (data) => {
    const parsed = pushedMessageSchema.safeParse(data);
    if (!parsed.success) {
      options.log.warn({ issues: parsed.error.issues.slice(0, 3) }, "discord.message_not_understood");
      return;
    }
    const message = parsed.data;
    if (message.author.id === options.places.names.botId) return;
    await inOrder(message.channel_id, async () => {
      const received = await untilReceived(options, message);
      if (received !== null) await tell(options, received);
    });
  };
}

interface Received {
  readonly event: InboundMessage;
  readonly receipt: Receipt;
}

async function untilReceived(options: MessagesOptions, message: WireMessage): Promise<Received | null> {
  for (const pauseMs of RETRY_PAUSES_MS) {
    try {
      return await receiveOnce(options, message);
    } catch (error) {
      options.log.warn({ err: error, messageId: message.id, pauseMs }, "discord.message_not_received");
    }
    await options.clock.sleep(pauseMs, options.signal);
  }
  return receiveOnce(options, message);
}

async function receiveOnce(
  { places, threads, memberEverywhere, receive }: MessagesOptions,
  message: WireMessage,
): Promise<Received | null> {
  const place = await places.of(message.channel_id, message.guild_id);
  if (place.threadId !== null) threads.existed(place.threadId);
  const member = place.channel.kind === "dm" ? await memberEverywhere(message.author.id) : message.member;
  const event = inboundMessage({ ...message, member }, place, places.names);
  if (event === null) return null;
  // A forum's post has its thread from the beginning.
  if (event.opensThread && place.threadId === null) threads.expect(event);
  return { event, receipt: await receive(event) };
}

/** What the core answers at once is for the person alone. */
async function tell({ whispers }: MessagesOptions, { event, receipt }: Received): Promise<void> {
  if (receipt.type === "refused") await whispers.whisper(event.thread, event.person.id, notice(receipt.reason));
  if (receipt.type === "reply") await whispers.whisper(event.thread, event.person.id, receipt.message);
}
