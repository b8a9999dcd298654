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
  readonly #removed = new WeakSet<FeedListener>();
  /** Number of the last change sent to all pages; null if no page is open. */
  #sentSeq: number | null = null;

  constructor(store: Pick<LocalThreadStore, "changes" | "lastSeq">) {
    this.#store = store;
  }

  /** Adds a page; false if it has already gone. */
  add(page: FeedListener): boolean {
    if (this.#removed.has(page)) return false;
    this.#pages.add(page);
    return true;
  }

  remove(page: FeedListener): void {
    this.#removed.add(page);
    this.#pages.delete(page);
    if (this.#pages.size === 0) this.#sentSeq = null;
  }

  push(frame: ThreadFrame): void {
    for (const page of this.#pages) page.push(frame);
  }

  /** Starts tracking how far pages have read, because changes may come from other processes, or be stored unnoticed. */
  async begin(): Promise<void> {
    if (this.#sentSeq !== null) return;
    const lastSeq = await asPlatformErrors(this.#store.lastSeq());
    if (this.#pages.size > 0) this.#sentSeq ??= lastSeq;
  }

  /** Sends a change to all pages; false if earlier changes have to be read from the store first. */
  pushNext(message: LocalMessage, thread: LocalThread | null): boolean {
    if (this.#sentSeq !== null && message.seq !== this.#sentSeq + 1) return false;
    if (this.#sentSeq !== null) this.#sentSeq = message.seq;
    this.push(changed(message, thread));
    return true;
  }

  /** Sends pages all changes that they have not received. Runs no query while no page is open. */
  async catchUp(): Promise<void> {
    const from = this.#sentSeq;
    if (from === null) return;
    for (let isMore = true; isMore && this.#sentSeq !== null; ) {
      const changes = await asPlatformErrors(this.#store.changes(this.#sentSeq, CHANGES));
      for (const { message, thread } of changes) this.push(changed(message, message.position > from ? thread : null));
      if (this.#pages.size > 0) this.#sentSeq = changes.at(-1)?.message.seq ?? this.#sentSeq;
      isMore = changes.length === CHANGES;
    }
  }

  closeAll(): void {
    for (const page of this.#pages) page.close(1001, "shutting down");
    this.#pages.clear();
    this.#sentSeq = null;
  }
}

function changed(message: LocalMessage, thread: LocalThread | null): ThreadFrame {
  return { type: "message", message: pageMessage(message), thread: thread === null ? null : pageThread(thread) };
}
