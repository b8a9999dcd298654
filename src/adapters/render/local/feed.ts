import type { KeyedMutex } from "../../../core/keyed-mutex.ts";
import type { InsertOutcome, LocalMessage, LocalThread, NewLocalMessage } from "../../../core/store/web-threads.ts";
import { type CrossProcessFeed, type CrossProcessScope, createCrossProcessFeed } from "./cross-process-feed.ts";
import { asPlatformErrors } from "./errors.ts";
import { type FeedListener, FeedPages } from "./feed-pages.ts";
import type { LocalThreadStore } from "./thread-store.ts";
import type { MessageBody, ThreadFrame } from "./wire.ts";

export interface Draft extends Omit<NewLocalMessage, "body"> {
  readonly body: MessageBody;
}

/** Changes to local threads, stored first and then sent to every open page. */
export interface Feed {
  insert(draft: Draft, opens: { readonly title: string } | null): Promise<InsertOutcome>;
  /** Stores what `change` makes of the current message; null if there is no such message. */
  update(id: string, change: (message: LocalMessage) => MessageBody): Promise<LocalMessage | null>;
  /** Sends the page every change from now on. No change is made while `welcome` runs, so the page misses none. */
  join(page: FeedListener, welcome: () => Promise<void>): Promise<void>;
  leave(page: FeedListener): void;
  /** Sends every page a frame that belongs to no stored thread. */
  broadcast(frame: ThreadFrame): void;
  /** Starts to exchange changes with other processes that serve the same threads. */
  share(sharing: CrossProcessScope): void;
  closeAll(): void;
}

interface Threads {
  /** Name of the place that the threads belong to. */
  readonly name: string;
  readonly store: LocalThreadStore;
  /** Shared by all feeds of the store: one write at a time, so that changes are sent in the order of their numbers. */
  readonly writes: KeyedMutex;
}

/** The mutex key shared by everything that writes to the tables of local threads. */
const WRITES = "threads";

export function createFeed({ name, store, writes }: Threads): Feed {
  const write = <T>(task: () => Promise<T>) => writes.run(WRITES, task);
  const pages = new FeedPages(store);
  let others: CrossProcessFeed | null = null;
  const written = async (message: LocalMessage, thread: LocalThread | null): Promise<void> => {
    others?.notify();
    if (!pages.pushNext(message, thread)) await (others ?? pages).catchUp();
  };
  return {
    insert: (draft, opens) =>
      write(async () => {
        const row = { ...draft, body: JSON.stringify(draft.body) };
        const outcome = await asPlatformErrors(store.insert(row, opens));
        if (outcome.type === "inserted") await written(outcome.message, outcome.thread);
        return outcome;
      }),
    update: (id, change) =>
      write(async () => {
        const updated = await asPlatformErrors(store.update(id, (message) => JSON.stringify(change(message))));
        if (updated !== null) await written(updated, null);
        return updated;
      }),
    join: async (page, welcome) => {
      if (!pages.add(page)) return;
      await write(async () => {
        await pages.begin();
        await welcome();
      });
    },
    leave: (page) => pages.remove(page),
    broadcast: (frame) => {
      pages.push(frame);
      others?.forward(frame);
    },
    share: (sharing) => {
      if (!sharing.cluster.isShared) return;
      const look = () => pages.catchUp();
      others = createCrossProcessFeed(name, sharing, {
        push: (frame) => pages.push(frame),
        look,
        follow: () => write(look),
      });
    },
    closeAll: () => {
      pages.closeAll();
      others?.end();
    },
  };
}
