import type { OutgoingMessage } from "../../../core/platform/outgoing.ts";
import type { Clock, Ids } from "../../../core/protocol/runtime.ts";
import type { LocalMessage } from "../../../core/store/web-threads.ts";
import { asPlatformErrors, threadGone } from "./errors.ts";
import type { Feed } from "./feed.ts";
import { formatMessage, localFile, titleOf } from "./message-body.ts";
import type { LocalThreadStore } from "./thread-store.ts";

export interface Post {
  /** Null opens a thread, titled after the message. */
  readonly threadId: string | null;
  readonly message: OutgoingMessage;
  /** Idempotency key: the same key posts once. */
  readonly key: string;
  readonly by: "deckhand" | "note";
  /** Id of the person whom a note is for. */
  readonly to?: string;
}

export interface Poster {
  /** Resolves to the message with this key, new or existing. PlatformError `thread_gone` if there is no such thread. */
  post(post: Post): Promise<LocalMessage>;
  /** Stores a message's files, which its formatted body refers to. */
  putFiles(message: OutgoingMessage): Promise<void>;
}

export interface PosterScope {
  readonly store: LocalThreadStore;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly ids: Ids;
}

export function createPoster({ store, feed, clock, ids }: PosterScope): Poster {
  const putFiles = async (message: OutgoingMessage): Promise<void> => {
    for (const file of message.files) await asPlatformErrors(store.putFile(localFile(file)));
  };
  return {
    putFiles,
    post: async ({ threadId, message, key, by, to }) => {
      await putFiles(message);
      const id = ids.next("webmsg");
      const outcome = await feed.insert(
        {
          id,
          // A new thread gets the id of its first message, as when a person opens it.
          threadId: threadId ?? id,
          key,
          fromPerson: false,
          at: clock.now(),
          body: { ...formatMessage(message, by), ...(to === undefined ? {} : { to }) },
        },
        threadId === null ? { title: titleOf(message.markdown) } : null,
      );
      if (outcome.type === "no_thread") throw threadGone(threadId ?? "");
      return outcome.message;
    },
  };
}
