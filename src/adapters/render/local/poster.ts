import type { OutgoingMessage } from "../../../core/protocol/platform.ts";
import type { Clock, Ids } from "../../../core/protocol/runtime.ts";
import type { LocalMessage } from "../../../core/store/web-threads.ts";
import { fromStore, threadGone } from "./errors.ts";
import type { Feed } from "./feed.ts";
import { formatMessage, localFile, titleOf } from "./message-body.ts";
import type { LocalThreadStore } from "./thread-store.ts";

export interface Post {
  /** Null opens a thread, called after the message. */
  readonly threadId: string | null;
  readonly message: OutgoingMessage;
  /** The same key posts once. */
  readonly key: string;
  readonly by: "deckhand" | "note";
  /** Whom a note is for: a person's id. */
  readonly to?: string;
}

/** Puts messages of ours into threads. */
export interface Poster {
  /** Resolves to the message that has the key, posted now or before. PlatformError `thread_gone` without its thread. */
  post(post: Post): Promise<LocalMessage>;
  /** Stores a message's files, which its formatted body names. */
  putFiles(message: OutgoingMessage): Promise<void>;
}

export function createPoster({
  store,
  feed,
  clock,
  ids,
}: {
  readonly store: LocalThreadStore;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly ids: Ids;
}): Poster {
  const putFiles = async (message: OutgoingMessage): Promise<void> => {
    for (const file of message.files) await fromStore(store.putFile(localFile(file)));
  };
  return {
    putFiles,
    post: async ({ threadId, message, key, by, to }) => {
      await putFiles(message);
      const id = ids.next("webmsg");
      const outcome = await feed.insert(
        {
          id,
          // A thread is named by its first message, like those that people begin.
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
