import { z } from "zod";
import type { MissedQuery } from "../../core/platform/chat-platform.ts";
import type { InboundMessage } from "../../core/platform/inbound.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import { callSlack } from "./errors.ts";
import { inboundMessage } from "./inbound.ts";
import { MISSED_CHANNELS, MISSED_THREADS, PAGE_MESSAGES } from "./limits.ts";
import { messagesIn } from "./message/history.ts";
import type { SlackScope } from "./surfaces.ts";
import { type HistoryMessage, tsToMs } from "./wire.ts";

/**
 * Messages that people wrote since then in the bot's channels, oldest first: in the channels themselves, in threads
 * opened by their newest messages, and in known threads. The number of channels and threads is limited.
 */
export async function missedMessages(deps: SlackScope, missing: MissedQuery): Promise<readonly InboundMessage[]> {
  const found = new Map<string, InboundMessage>();
  const replied = new Map<string, MissedThread>();
  for (const { channelId, threadId } of missing.known) {
    if (threadId !== null) replied.set(`${channelId} ${threadId}`, { channel: channelId, ts: threadId });
  }
  const take = async (channel: Channel, messages: readonly HistoryMessage[]) => {
    for (const message of messages) {
      if (tsToMs(message.ts) < missing.since) continue;
      const event = await inboundMessage(asEvent(message, channel), deps);
      if (event !== null) found.set(event.key, event);
    }
  };
  const channels = await channelsOf(deps, missing.signal);
  for (const channel of channels) {
    const newest = await waitingOutRateLimits(deps, missing.signal, () => newestIn(deps, channel.id));
    await take(channel, newest);
    for (const { ts, latest_reply: latest } of newest) {
      const isNews = latest !== undefined && tsToMs(latest) >= missing.since;
      if (isNews) replied.set(`${channel.id} ${ts}`, { channel: channel.id, ts });
    }
  }
  for (const place of [...replied.values()].slice(0, MISSED_THREADS)) {
    const channel = channels.find(({ id }) => id === place.channel);
    if (channel === undefined) continue;
    await take(channel, await waitingOutRateLimits(deps, missing.signal, () => repliesIn(deps, place, missing.since)));
  }
  return [...found.values()].toSorted((a, b) => Number(a.messageId) - Number(b.messageId));
}

interface MissedThread {
  readonly channel: string;
  /** The root's ts. */
  readonly ts: string;
}

const channelSchema = z.object({ id: z.string(), is_im: z.boolean().optional(), is_mpim: z.boolean().optional() });
type Channel = z.infer<typeof channelSchema>;

async function channelsOf({ web, log }: SlackScope, signal: AbortSignal): Promise<readonly Channel[]> {
  signal.throwIfAborted();
  const asked = { types: "public_channel,private_channel,mpim,im", exclude_archived: true, limit: PAGE_MESSAGES };
  const known = await callSlack("look for what I missed", async () => {
    const { channels } = await web.users.conversations(asked);
    return z.array(channelSchema).parse(channels ?? []);
  });
  if (known.length > MISSED_CHANNELS) log.warn({ dropped: known.length - MISSED_CHANNELS }, "missed_channels_bounded");
  return known.slice(0, MISSED_CHANNELS);
}

/** Reads messages, waiting out rate limits. A channel or thread that cannot be read is skipped. */
async function waitingOutRateLimits(
  { clock, log }: SlackScope,
  signal: AbortSignal,
  read: () => Promise<readonly HistoryMessage[]>,
): Promise<readonly HistoryMessage[]> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      const { code, retryAfterMs, detail } = toAppError(error);
      if (retryAfterMs === undefined) {
        log.warn({ code, ...detail }, "missed_unreadable");
        return [];
      }
      await clock.sleep(retryAfterMs, signal);
    }
  }
}

/** Newest messages of a channel. Older than `since` ones count, too, because their threads may have new replies. */
async function newestIn({ web, log }: SlackScope, channel: string): Promise<readonly HistoryMessage[]> {
  const page = await callSlack("read this channel", () => web.conversations.history({ channel, limit: PAGE_MESSAGES }));
  return messagesIn(page.messages, log);
}

async function repliesIn(
  { web, log }: SlackScope,
  { channel, ts }: MissedThread,
  since: number,
): Promise<readonly HistoryMessage[]> {
  const asked = { channel, ts, oldest: String(since / 1_000), limit: PAGE_MESSAGES };
  const page = await callSlack("read this thread", () => web.conversations.replies(asked));
  return messagesIn(page.messages, log);
}

/** The message in the form of a pushed event. */
function asEvent(message: HistoryMessage, { id, is_im: isIm, is_mpim: isGroup }: Channel) {
  const kind = isIm === true ? "im" : isGroup === true ? "mpim" : "channel";
  return { ...message, type: "message", channel: id, channel_type: kind } as const;
}
