import type { KeyedMutex } from "../../../core/keyed-mutex.ts";
import { storeError } from "./errors.ts";
import { pageMessage, pageThread } from "./message-body.ts";
import type { InsertOutcome, LocalMessage, LocalThreadStore, NewLocalMessage } from "./thread-store.ts";
import type { MessageBody, ThreadFrame } from "./wire.ts";

export interface Draft extends Omit<NewLocalMessage, "body"> {
  readonly body: MessageBody;
}

/** A person's end that is open. */
export interface FeedListener {
  push(frame: ThreadFrame): void;
  close(code: number, reason: string): void;
}

/** Changes to threads: stored first, then told to every page that is open. */
export interface Feed {
  insert(draft: Draft, opens: { readonly title: string } | null): Promise<InsertOutcome>;
  /** `change` gets the message as it is now. Null without such a message. */
  update(id: string, change: (message: LocalMessage) => MessageBody): Promise<LocalMessage | null>;
  /** The page hears of each change from now on. None is made while it is welcomed, so that it misses none. */
  join(page: FeedListener, welcome: () => Promise<void>): Promise<void>;
  leave(page: FeedListener): void;
  /** Tells every page what no thread holds. */
  tell(frame: ThreadFrame): void;
  closeAll(): void;
}

/** One key of a mutex for all that write to the tables of local threads. */
const WRITES = "threads";

/** `writes` is of all feeds of the store: one at a time, so that changes are heard of in the order of their sequence numbers. */
export function createFeed(store: LocalThreadStore, writes: KeyedMutex): Feed {
  const write = <T>(task: () => Promise<T>) => writes.run(WRITES, task);
  const pages = new Set<FeedListener>();
  const tell = (frame: ThreadFrame): void => {
    for (const page of pages) page.push(frame);
  };

  return {
    insert: (draft, opens) =>
      write(async () => {
        const row = { ...draft, body: JSON.stringify(draft.body) };
        const outcome = await store.insert(row, opens).catch(rethrow);
        if (outcome.type === "inserted") {
          tell({ type: "message", message: pageMessage(outcome.message), thread: pageThread(outcome.thread) });
        }
        return outcome;
      }),
    update: (id, change) =>
      write(async () => {
        const message = await store.message(id).catch(rethrow);
        if (message === null) return null;
        const updated = await store.update(id, JSON.stringify(change(message))).catch(rethrow);
        if (updated !== null) tell({ type: "message", message: pageMessage(updated), thread: null });
        return updated;
      }),
    join: (page, welcome) => {
      pages.add(page);
      return write(welcome);
    },
    leave: (page) => {
      pages.delete(page);
    },
    tell,
    closeAll: () => {
      for (const page of pages) page.close(1001, "shutting down");
      pages.clear();
    },
  };
}

function rethrow(error: unknown): never {
  throw storeError(error);
}
