import type { LocalMessage, LocalThread } from "../../../core/store/web-threads.ts";
import { asPlatformErrors } from "./errors.ts";
import { pageMessage, pageThread } from "./message-body.ts";
import type { LocalThreadStore } from "./thread-store.ts";
import type { ThreadFrame } from "./wire.ts";

/** Number of changes read at once. */
const CHANGES = 200;

/** An open connection to a page or a terminal. */
export interface FeedListener {
  push(frame: ThreadFrame): void;
  close(code: number, reason: string): void;
}

/** The open pages of a feed, and the last change that was sent to them. */
export class FeedPages {
  readonly #store: Pick<LocalThreadStore, "changes" | "lastSeq">;
  readonly #pages = new Set<FeedListener>();
  /** Pages that have closed. A frame that a page sent earlier may be handled only after it has gone. */
  readonly #gone = new WeakSet<FeedListener>();
  /** Number of the last change sent to all pages; null if no other process writes, or no page is open. */
  #heardTo: number | null = null;

  constructor(store: Pick<LocalThreadStore, "changes" | "lastSeq">) {
    this.#store = store;
  }

  /** Adds a page; false if it has already gone. */
  add(page: FeedListener): boolean {
    if (this.#gone.has(page)) return false;
    this.#pages.add(page);
    return true;
  }

  remove(page: FeedListener): void {
    this.#gone.add(page);
    this.#pages.delete(page);
    if (this.#pages.size === 0) this.#heardTo = null;
  }

  push(frame: ThreadFrame): void {
    for (const page of this.#pages) page.push(frame);
  }

  /** Starts tracking how far pages have read, because other processes write to the threads, too. */
  async begin(): Promise<void> {
    if (this.#heardTo !== null) return;
    const lastSeq = await asPlatformErrors(this.#store.lastSeq());
    if (this.#pages.size > 0) this.#heardTo ??= lastSeq;
  }

  /** Sends a change to all pages; false if earlier changes have to be read from the store first. */
  pushNext(message: LocalMessage, thread: LocalThread | null): boolean {
    if (this.#heardTo !== null && message.seq !== this.#heardTo + 1) return false;
    if (this.#heardTo !== null) this.#heardTo = message.seq;
    this.push(changed(message, thread));
    return true;
  }

  /** Sends pages all changes that they have not received. Runs no query while no page is open. */
  async catchUp(): Promise<void> {
    const from = this.#heardTo;
    if (from === null) return;
    for (let isMore = true; isMore && this.#heardTo !== null; ) {
      const changes = await asPlatformErrors(this.#store.changes(this.#heardTo, CHANGES));
      for (const { message, thread } of changes) this.push(changed(message, message.position > from ? thread : null));
      if (this.#pages.size > 0) this.#heardTo = changes.at(-1)?.message.seq ?? this.#heardTo;
      isMore = changes.length === CHANGES;
    }
  }

  closeAll(): void {
    for (const page of this.#pages) page.close(1001, "shutting down");
    this.#pages.clear();
    this.#heardTo = null;
  }
}

function changed(message: LocalMessage, thread: LocalThread | null): ThreadFrame {
  return { type: "message", message: pageMessage(message), thread: thread === null ? null : pageThread(thread) };
}
