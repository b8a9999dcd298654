import { KeyedMutex } from "../../../core/keyed-mutex.ts";
import { storeError } from "../errors.ts";
import { pageMessage, pageThread } from "../format.ts";
import type { Outbox } from "../live/outbox.ts";
import type { MessageBody, ServerFrame } from "../wire.ts";
import type { InsertOutcome, NewWebMessage, WebMessage, WebThreadStore } from "./thread-store.ts";

export interface Draft extends Omit<NewWebMessage, "body"> {
  readonly body: MessageBody;
}

/** Changes to threads: stored first, then told to every page that is open. */
export interface Feed {
  insert(draft: Draft, opens: { readonly title: string } | null): Promise<InsertOutcome>;
  /** `change` gets the message as it is now. Null without such a message. */
  update(id: string, change: (message: WebMessage) => MessageBody): Promise<WebMessage | null>;
  /** The page hears of each change from now on. None is made while it is welcomed, so that it misses none. */
  join(page: Outbox, welcome: () => Promise<void>): Promise<void>;
  leave(page: Outbox): void;
  /** Tells every page what no thread holds. */
  tell(frame: ServerFrame): void;
  closeAll(): void;
}

/** One write at a time, so that pages hear of changes in the order of their sequence numbers. */
export function createFeed(store: WebThreadStore): Feed {
  const pages = new Set<Outbox>();
  const writes = new KeyedMutex();
  const write = <T>(task: () => Promise<T>) => writes.run("feed", task);
  const tell = (frame: ServerFrame): void => {
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
