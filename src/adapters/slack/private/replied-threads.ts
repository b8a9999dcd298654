import { BoundedMap } from "../../../core/bounded-map.ts";
import type { ThreadRef } from "../../../core/platform/thread.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import type { Log } from "../../../core/protocol/log.ts";
import { callSlack } from "../errors.ts";
import type { SlackWeb } from "../web.ts";
import { blockActionsSchema, messageThreadSchema } from "../wire.ts";

/** Maximum number of remembered threads; for others, Slack is asked. */
const THREADS_KEPT = 10_000;

/**
 * Which threads have replies. Slack shows private messages in a thread only if it has replies; below a message without
 * replies they are invisible. Source: Slack docs, chat.postEphemeral.
 */
export class RepliedThreads {
  readonly #log: Log;
  /** By channel and root; none rejects. */
  readonly #known = new BoundedMap<string, Promise<boolean>>(THREADS_KEPT);

  constructor(log: Log) {
    this.#log = log;
  }

  /** Records a reply by the bot. */
  noteReply({ channelId, threadId }: ThreadRef): void {
    if (threadId !== null) this.#known.set(`${channelId} ${threadId}`, Promise.resolve(true));
  }

  /** Records what a payload shows: a reply, a click inside a thread, or a message without replies. */
  notePayload(payload: unknown): void {
    const messageEvent = messageThreadSchema.safeParse(payload).data?.event;
    if (messageEvent !== undefined) this.#noteSaid(messageEvent);
    const click = blockActionsSchema.safeParse(payload).data;
    const threadTs = click?.message?.thread_ts ?? click?.container.thread_ts;
    if (click !== undefined && threadTs !== undefined) {
      this.#known.set(`${click.channel.id} ${threadTs}`, Promise.resolve(true));
    }
  }

  #noteSaid({ channel, ts, thread_ts: root }: { channel: string; ts: string; thread_ts?: string | undefined }): void {
    if (root === undefined) {
      // The same message may arrive again after it was answered.
      const key = `${channel} ${ts}`;
      if (!this.#known.has(key)) this.#known.set(key, Promise.resolve(false));
    } else if (root !== ts) {
      this.#known.set(`${channel} ${root}`, Promise.resolve(true));
    }
  }

  has(web: SlackWeb, { channelId, threadId }: ThreadRef): Promise<boolean> {
    if (threadId === null) return Promise.resolve(false);
    const key = `${channelId} ${threadId}`;
    return this.#known.get(key) ?? this.#ask(web, key, { channelId, threadId });
  }

  /** Asks once per thread. A failed lookup counts as no replies and is not remembered. */
  #ask(web: SlackWeb, key: string, { channelId, threadId }: { channelId: string; threadId: string }): Promise<boolean> {
    const asked = hasReplies(web, channelId, threadId).catch((error: unknown) => {
      if (this.#known.get(key) === asked) this.#known.delete(key);
      this.#log.debug({ code: toAppError(error).code, channelId, threadId }, "replies_not_known");
      return false;
    });
    this.#known.set(key, asked);
    return asked;
  }
}

async function hasReplies(web: SlackWeb, channel: string, ts: string): Promise<boolean> {
  // The first message is the root; a second one is a reply.
  const asked = { channel, ts, limit: 2 };
  const { messages = [] } = await callSlack("read this thread", () => web.conversations.replies(asked));
  return messages.length > 1;
}
