import { BoundedMap } from "../../core/bounded-map.ts";
import { ownId } from "../../core/events/event-key.ts";
import type { InboundMessage, ThreadRef } from "../../core/protocol/platform.ts";
import { isDiscordError, unlessDiscord } from "./errors.ts";
import { threadName } from "./format.ts";
import { threadMessage } from "./message/read-message.ts";
import type { Names } from "./message/wording.ts";
import type { DiscordRest } from "./rest.ts";
import { CHANNEL_TYPE } from "./wire.ts";

const REMEMBERED_THREADS = 5_000;

export interface Threads {
  /** A message will have a thread of its own: the first post then need not find out that there is none yet. */
  expect(message: Pick<InboundMessage, "messageId" | "text" | "person">): void;
  /** The thread has existed; when it cannot be posted to, it is gone and is not made again. */
  existed(threadId: string): void;
  /** The channel to name for it: the thread itself while it is known to be there, else the channel that it is in. */
  named(thread: ThreadRef): string;
  /** A private thread beside a private one, with the person in it; null beside one that is not private. */
  openPrivate(thread: ThreadRef, name: string, personId: string): Promise<ThreadRef | null>;
  /** Calls `send` with the channel to post to; makes the thread first, or takes it out of the archive, when it must. */
  send<T>(thread: ThreadRef, send: (channelId: string) => Promise<T>): Promise<T>;
}

/** Where the thread's messages are: a thread is a channel of its own. */
export function channelOf(thread: ThreadRef): string {
  return thread.threadId ?? thread.channelId;
}

/** What a thread is called whose own name Discord does not take. */
const PLAIN_NAME = "Deckhand";

/** Servers that anybody may find, and AutoMod, forbid words in names that they let people write. */
async function unlessRefused<T>(name: string, start: (name: string) => Promise<T>): Promise<T> {
  try {
    return await start(name);
  } catch (error) {
    if (!isDiscordError(error, "invalidForm", "titleBlockedByAutoMod")) throw error;
    return start(PLAIN_NAME);
  }
}

export function createThreads(rest: DiscordRest, names: Names): Threads {
  const expected = new BoundedMap<string, string>(REMEMBERED_THREADS);
  const existing = new BoundedMap<string, "there" | "gone">(REMEMBERED_THREADS);
  const existed = (threadId: string) => {
    expected.delete(threadId);
    existing.set(threadId, "there");
  };

  /** Also right after a crash: a thread that exists already is what was wanted. */
  const open = async (channelId: string, messageId: string): Promise<void> => {
    const name = expected.get(messageId) ?? (await nameFor(channelId, messageId));
    const started = unlessRefused(name, (taken) => rest.startThread({ channelId, messageId }, taken));
    await unlessDiscord(["threadExists"], started);
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
      if (threadId === null || (await rest.channel(threadId)).type !== CHANNEL_TYPE.privateThread) return null;
      const opened = await unlessRefused(threadName(name, "you"), (taken) => rest.startPrivateThread(channelId, taken));
      existed(opened);
      await rest.addThreadMember(opened, ownId(personId));
      return { ...thread, threadId: opened };
    },
    send: async ({ channelId, threadId }, send) => {
      if (threadId === null) return send(channelId);
      if (expected.has(threadId)) await open(channelId, threadId);
      const sent = await send(threadId).catch(async (error: unknown) => {
        if (isDiscordError(error, "threadArchived")) await rest.unarchiveThread(threadId);
        else if (!isDiscordError(error, "unknownChannel")) throw error;
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
