import type { KeyedMutex } from "../../../core/keyed-mutex.ts";
import type {
  ChatPlatform,
  InboundMessage,
  Person,
  PostedMessage,
  ThreadMessage,
  ThreadRef,
} from "../../../core/protocol/platform.ts";
import type { Clock, Ids } from "../../../core/protocol/runtime.ts";
import type { LocalMessage } from "../../../core/store/web-threads.ts";
import { unreadable } from "../attachment.ts";
import { fromStore, threadGone } from "./errors.ts";
import { createFeed, type Feed } from "./feed.ts";
import { MISSED_MESSAGES } from "./frame-limits.ts";
import { type LocalChannel, messageIn, noteFor, threadIn } from "./local-channel.ts";
import { bodyOf, formatMessage } from "./message-body.ts";
import { createPoster, type Poster } from "./poster.ts";
import type { LocalThreadStore } from "./thread-store.ts";
import type { MessageBody } from "./wire.ts";

export interface LocalThreadsOptions {
  readonly place: LocalChannel;
  /** Whoever has written where several do, as they take part now; null where nobody is known by that id. */
  readonly personOf?: (personId: string) => Promise<Person | null>;
  readonly store: LocalThreadStore;
  /** All that write to the store's database share it. */
  readonly writes: KeyedMutex;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Threads that this program keeps itself, with what the core does with threads. */
export interface LocalThreads {
  readonly feed: Feed;
  readonly poster: Poster;
  readonly posting: Pick<ChatPlatform, "post" | "edit" | "react" | "upload" | "postEphemeral">;
  readonly reading: Pick<ChatPlatform, "find" | "fetchFile" | "fetchThread" | "missed">;
}

export function createLocalThreads(options: LocalThreadsOptions): LocalThreads {
  const { platform, channel } = options.place;
  const feed = createFeed({ ...options, name: `${platform.name}:${channel.id}` });
  const poster = createPoster({ ...options, feed });
  return { feed, poster, posting: posting(options, { feed, poster }), reading: reading(options) };
}

function posting(
  { place, ids }: LocalThreadsOptions,
  { feed, poster }: Pick<LocalThreads, "feed" | "poster">,
): LocalThreads["posting"] {
  const post: ChatPlatform["post"] = async ({ threadId }, message, key) =>
    postedIn(place, await poster.post({ threadId, message, key, by: "deckhand" }));
  return {
    post,
    edit: async ({ messageId }, message) => {
      await poster.putFiles(message);
      const edited = await feed.update(messageId, () => formatMessage(message, "deckhand"));
      if (edited === null) throw threadGone(`of message ${messageId}`);
    },
    react: async (thread, messageId, sign) => {
      const marked = await feed.update(messageId, (message) => withSign(bodyOf(message), sign));
      if (marked === null) throw threadGone(thread.threadId ?? "");
    },
    upload: (thread, file, key) =>
      post(thread, { lane: "answer", markdown: "", tone: "plain", buttons: [], files: [file] }, key),
    postEphemeral: async (thread, personId, message) => {
      const key = ids.next("ephemeral");
      await poster.post({ threadId: thread.threadId, message, key, by: "note", ...noteFor(place, personId) });
    },
  };
}

function withSign(body: MessageBody, sign: MessageBody["signs"][number]): MessageBody {
  return body.signs.includes(sign) ? body : { ...body, signs: [...body.signs, sign] };
}

function reading(options: LocalThreadsOptions): LocalThreads["reading"] {
  const { place, store } = options;
  return {
    find: async (_thread, key) => {
      const message = await fromStore(store.messageByKey(key));
      return message === null ? null : postedIn(place, message);
    },
    fetchFile: async (attachment, maxBytes, signal) => {
      signal.throwIfAborted();
      const file = await fromStore(store.file(attachment.ref));
      if (file === null) throw unreadable(attachment, "it is no longer stored");
      if (file.data.byteLength > maxBytes) throw unreadable(attachment, `it is larger than ${maxBytes} bytes`);
      return file.data;
    },
    fetchThread: async (thread, limit, signal) => {
      signal.throwIfAborted();
      return fetchThread(options, thread, limit);
    },
    missed: async (since, signal) => {
      signal.throwIfAborted();
      // Stored before it is received: a message in between when the process died is still here.
      const messages = await fromStore(store.fromPeople(since, MISSED_MESSAGES));
      const found = await Promise.all(messages.map(async (message) => missedBy(message, options)));
      return found.flatMap((message) => message ?? []);
    },
  };
}

/** A message as its author's; null where they may no longer write. */
async function missedBy(
  message: LocalMessage,
  { place, personOf }: LocalThreadsOptions,
): Promise<InboundMessage | null> {
  const { author, by } = bodyOf(message);
  if (by !== "person") return null; // it cannot be read
  if (author === undefined) return messageIn(place, message);
  const person = (await personOf?.(author.id)) ?? null;
  return person === null ? null : messageIn({ ...place, person }, message);
}

/** The thread is named after its root, which comes first however long the thread is. */
async function fetchThread(
  { place, store }: LocalThreadsOptions,
  { threadId }: ThreadRef,
  limit: number,
): Promise<ThreadMessage[]> {
  if (threadId === null) return [];
  const newest = await fromStore(store.messages(threadId, null, limit));
  if (newest === null) throw threadGone(threadId);
  const root = newest.some((message) => message.id === threadId) ? null : await fromStore(store.message(threadId));
  const shown = root === null ? newest : [root, ...newest.slice(1)];
  return shown.flatMap((message) => {
    const body = bodyOf(message);
    return body.by === "note" ? [] : [threadMessage(place, message, body)];
  });
}

function threadMessage(place: LocalChannel, message: LocalMessage, body: MessageBody): ThreadMessage {
  const { id, name } = body.author ?? place.person;
  const author = message.fromPerson
    ? { id, name, isBot: false }
    : { id: `${place.platform.name}:deckhand`, name: "Deckhand", isBot: true, isOurs: true as const };
  return { messageId: message.id, author, text: body.markdown, at: message.at };
}

function postedIn(place: LocalChannel, { id }: LocalMessage): PostedMessage {
  const { platform, channelId } = threadIn(place, null);
  return { platform, channelId, messageId: id };
}
