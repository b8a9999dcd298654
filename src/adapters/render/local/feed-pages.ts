import type { LocalMessage, LocalThread } from "../../../core/store/web-threads.ts";
import { fromStore } from "./errors.ts";
import { pageMessage, pageThread } from "./message-body.ts";
import type { LocalThreadStore } from "./thread-store.ts";
import type { ThreadFrame } from "./wire.ts";

/** Changes that are read at once. */
const CHANGES = 200;

/** A person's end that is open. */
export interface FeedListener {
  push(frame: ThreadFrame): void;
  close(code: number, reason: string): void;
}

/** The open pages of a feed, and how far they have heard of changes. */
export class FeedPages {
  readonly #store: Pick<LocalThreadStore, "changes" | "lastSeq">;
  readonly #pages = new Set<FeedListener>();
  /** What they have asked for may be handled only then. */
  readonly #gone = new WeakSet<FeedListener>();
  /** The number up to which pages have heard of all changes; null: nobody else writes, or there are no pages. */
  #heardTo: number | null = null;

  constructor(store: Pick<LocalThreadStore, "changes" | "lastSeq">) {
    this.#store = store;
  }

  /** False for a page that has gone. */
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

  /** Others write, too: from now on it counts how far pages have heard. */
  async begin(): Promise<void> {
    if (this.#heardTo !== null) return;
    const lastSeq = await fromStore(this.#store.lastSeq());
    if (this.#pages.size > 0) this.#heardTo ??= lastSeq;
  }

  /** False where pages have not heard of what comes before: that is to be read first. */
  pushNext(message: LocalMessage, thread: LocalThread | null): boolean {
    if (this.#heardTo !== null && message.seq !== this.#heardTo + 1) return false;
    if (this.#heardTo !== null) this.#heardTo = message.seq;
    this.push(changed(message, thread));
    return true;
  }

  /** Pages hear of all that they have not heard of; no statement while there are none. */
  async catchUp(): Promise<void> {
    const from = this.#heardTo;
    if (from === null) return;
    for (let isMore = true; isMore && this.#heardTo !== null; ) {
      const changes = await fromStore(this.#store.changes(this.#heardTo, CHANGES));
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
