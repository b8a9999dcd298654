import type { KeyedMutex } from "../../../core/keyed-mutex.ts";
import type { ChatPlatform, ThreadMessage } from "../../../core/platform/chat-platform.ts";
import type { InboundMessage } from "../../../core/platform/inbound.ts";
import type { PostedMessage } from "../../../core/platform/outgoing.ts";
import type { Person, ThreadRef } from "../../../core/platform/thread.ts";
import type { LocalMessage } from "../../../core/store/web-threads.ts";
import { unreadable } from "../attachment.ts";
import { asPlatformErrors, threadGone } from "./errors.ts";
import { createFeed, type Feed } from "./feed.ts";
import { MISSED_MESSAGES } from "./frame-limits.ts";
import { type LocalChannel, messageIn, noteFor, threadIn } from "./local-channel.ts";
import { bodyOf, formatMessage } from "./message-body.ts";
import { createPoster, type Poster, type PosterScope } from "./poster.ts";
import type { MessageBody } from "./wire.ts";

export interface LocalThreadsOptions extends Omit<PosterScope, "feed"> {
  readonly place: LocalChannel;
  /** Looks up the current state of an author in a channel with several people; null if the id is unknown. */
  readonly personOf?: (personId: string) => Promise<Person | null>;
  /** Shared by everything that writes to the store's database. */
  readonly writes: KeyedMutex;
}

/** Threads stored by this program, with the operations that the core needs. */
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
      const edited = await feed.update(messageId, (before) => {
        const body = formatMessage(message, "deckhand");
        // As on the other platforms, an edit without files removes none.
        return body.files.length > 0 ? body : { ...body, files: bodyOf(before).files };
      });
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
      const message = await asPlatformErrors(store.messageByKey(key));
      return message === null ? null : postedIn(place, message);
    },
    fetchFile: async (attachment, maxBytes, signal) => {
      signal.throwIfAborted();
      const file = await asPlatformErrors(store.file(attachment.ref));
      if (file === null) throw unreadable(attachment, "it is no longer stored");
      if (file.data.byteLength > maxBytes) throw unreadable(attachment, `it is larger than ${maxBytes} bytes`);
      return file.data;
    },
    fetchThread: async (thread, limit, signal) => {
      signal.throwIfAborted();
      return fetchThread(options, thread, limit);
    },
    missed: async ({ since, signal }) => {
      signal.throwIfAborted();
      // Messages are stored before they are handled, so one that a crash interrupted is still here.
      const messages = await asPlatformErrors(store.fromPeople(since, MISSED_MESSAGES));
      const found = await Promise.all(messages.map(async (message) => missedBy(message, options)));
      return found.flatMap((message) => message ?? []);
    },
  };
}

/** The message as an event of its author; null if the author may no longer write. */
async function missedBy(
  message: LocalMessage,
  { place, personOf }: LocalThreadsOptions,
): Promise<InboundMessage | null> {
  const { author, by } = bodyOf(message);
  if (by !== "person") return null; // unreadable
  if (author === undefined) return messageIn(place, message);
  const person = (await personOf?.(author.id)) ?? null;
  return person === null ? null : messageIn({ ...place, person }, message);
}

/** Reads the newest messages of a thread. The root always comes first, even if it is older than the limit allows. */
async function fetchThread(
  { place, store }: LocalThreadsOptions,
  { threadId }: ThreadRef,
  limit: number,
): Promise<ThreadMessage[]> {
  if (threadId === null) return [];
  const newest = await asPlatformErrors(store.messages(threadId, null, limit));
  if (newest === null) throw threadGone(threadId);
  const root = newest.some((message) => message.id === threadId)
    ? null
    : await asPlatformErrors(store.message(threadId));
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
