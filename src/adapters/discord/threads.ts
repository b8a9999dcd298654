import { ChannelType } from "discord.js";
import { BoundedMap } from "../../core/bounded-map.ts";
import { ownId } from "../../core/events/event-key.ts";
import type { InboundMessage } from "../../core/platform/inbound.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { isDiscordError, nullOnDiscordError } from "./errors.ts";
import { threadName } from "./format.ts";
import { threadMessage } from "./message/read-message.ts";
import type { Names } from "./message/text.ts";
import type { DiscordRest } from "./rest.ts";

const MAX_TRACKED_THREADS = 5_000;

export interface Threads {
  /** Announces a message that will get a thread, so that the first post creates the thread without trying it first. */
  expect(message: Pick<InboundMessage, "messageId" | "text" | "person">): void;
  /** Records that the thread existed. If posting to it fails later, it is gone and is not created again. */
  existed(threadId: string): void;
  /** The channel to mention for it: the thread if it is known to exist, else its channel. */
  named(thread: ThreadRef): string;
  /** Opens another private thread beside a private one and adds the person; null if the given one is not private. */
  openPrivate(thread: ThreadRef, name: string, personId: string): Promise<ThreadRef | null>;
  /** Calls `send` with the channel to post to, after creating or unarchiving the thread if necessary. */
  send<T>(thread: ThreadRef, send: (channelId: string) => Promise<T>): Promise<T>;
}

/** The channel with the thread's messages, since a thread is a channel of its own. */
export function channelOf(thread: ThreadRef): string {
  return thread.threadId ?? thread.channelId;
}

/** Thread name used if Discord refuses the intended one. */
const PLAIN_NAME = "Deckhand";

/** Retries with the plain name. Discoverable servers and AutoMod forbid words in names that they allow in messages. */
async function unlessRefused<T>(name: string, start: (name: string) => Promise<T>): Promise<T> {
  try {
    return await start(name);
  } catch (error) {
    if (!isDiscordError(error, "InvalidFormBodyOrContentType", "TitleWasBlockedByAutomaticModeration")) throw error;
    return start(PLAIN_NAME);
  }
}

export function createThreads(rest: DiscordRest, names: Names): Threads {
  const expected = new BoundedMap<string, string>(MAX_TRACKED_THREADS);
  const existing = new BoundedMap<string, "there" | "gone">(MAX_TRACKED_THREADS);
  const existed = (threadId: string) => {
    expected.delete(threadId);
    existing.set(threadId, "there");
  };

  /** Creates the thread. One that exists already, as after a crash, is fine. */
  const open = async (channelId: string, messageId: string): Promise<void> => {
    const name = expected.get(messageId) ?? (await nameFor(channelId, messageId));
    const started = unlessRefused(name, (taken) => rest.startThread({ channelId, messageId }, taken));
    await nullOnDiscordError(["ThreadAlreadyCreatedForMessage"], started);
    existed(messageId);
  };
  const nameFor = async (channelId: string, messageId: string): Promise<string> => {
    const message = threadMessage(await rest.message(channelId, messageId), names);
    return threadName(message?.text ?? "", message?.author.name ?? "you");
  };

  return {
    expect({ messageId, text, person }) {
      if (!existing.has(messageId)) expected.set(messageId, threadName(text, person.name));
    },
    existed,
    named: ({ channelId, threadId }) =>
      threadId !== null && existing.get(threadId) === "there" ? threadId : channelId,
    openPrivate: async (thread, name, personId) => {
      const { channelId, threadId } = thread;
      if (threadId === null || (await rest.channel(threadId)).type !== ChannelType.PrivateThread) return null;
      const opened = await unlessRefused(threadName(name, "you"), (taken) => rest.startPrivateThread(channelId, taken));
      existed(opened);
      await rest.addThreadMember(opened, ownId(personId));
      return { ...thread, threadId: opened };
    },
    send: async ({ channelId, threadId }, send) => {
      if (threadId === null) return send(channelId);
      if (expected.has(threadId)) await open(channelId, threadId);
      const sent = await send(threadId).catch(async (error: unknown) => {
        if (isDiscordError(error, "InvalidActionOnArchivedThread")) await rest.unarchiveThread(threadId);
        else if (!isDiscordError(error, "UnknownChannel")) throw error;
        else if (!existing.has(threadId)) await open(channelId, threadId);
        else {
          existing.set(threadId, "gone");
          throw error;
        }
        return send(threadId);
      });
      existed(threadId);
      return sent;
    },
  };
}
