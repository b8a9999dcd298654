import type { LocalThreadStore } from "../../../src/adapters/render/local/thread-store.ts";
import type {
  InsertOutcome,
  LocalChange,
  LocalFile,
  LocalMessage,
  LocalThread,
  NewLocalMessage,
} from "../../../src/core/store/web-threads.ts";

/** The web page's store in memory, which outlives the adapters opened over it. */
export class MemoryThreadStore implements LocalThreadStore {
  readonly #threads = new Map<string, LocalThread>();
  readonly #messages = new Map<string, LocalMessage>();
  readonly #files = new Map<string, LocalFile>();
  #lastSeq = 0;

  threads(limit: number): Promise<readonly LocalThread[]> {
    const newestFirst = [...this.#threads.values()].toSorted((a, b) => b.updatedAt - a.updatedAt);
    return Promise.resolve(newestFirst.slice(0, limit));
  }

  messages(threadId: string, before: number | null, limit: number): Promise<readonly LocalMessage[] | null> {
    if (!this.#threads.has(threadId)) return Promise.resolve(null);
    const older = this.#all().filter((one) => one.threadId === threadId && (before === null || one.position < before));
    return Promise.resolve(older.toSorted((a, b) => a.position - b.position).slice(-limit));
  }

  changes(seq: number, limit: number): Promise<readonly LocalChange[]> {
    const changed = this.#all().filter((message) => message.seq > seq);
    const inOrder = changed.toSorted((a, b) => a.seq - b.seq).slice(0, limit);
    const withThread = inOrder.flatMap((message) => {
      const thread = this.#threads.get(message.threadId);
      return thread === undefined ? [] : [{ message, thread }];
    });
    return Promise.resolve(withThread);
  }

  lastSeq(): Promise<number> {
    return Promise.resolve(this.#lastSeq);
  }

  message(id: string): Promise<LocalMessage | null> {
    return Promise.resolve(this.#messages.get(id) ?? null);
  }

  messageByKey(key: string): Promise<LocalMessage | null> {
    return Promise.resolve(this.#all().find((message) => message.key === key) ?? null);
  }

  fromPeople(at: number, limit: number): Promise<readonly LocalMessage[]> {
    const said = this.#all().filter((message) => message.fromPerson && message.at >= at);
    return Promise.resolve(said.toSorted((a, b) => a.position - b.position).slice(0, limit));
  }

  insert(message: NewLocalMessage, opens: { readonly title: string } | null): Promise<InsertOutcome> {
    const known = this.#all().find((one) => one.key === message.key);
    if (known !== undefined) return Promise.resolve({ type: "duplicate", message: known });
    const thread = this.#threads.get(message.threadId);
    if (thread === undefined && opens === null) return Promise.resolve({ type: "no_thread" });
    const updated: LocalThread = {
      id: message.threadId,
      title: thread?.title ?? opens?.title ?? "",
      createdAt: thread?.createdAt ?? message.at,
      updatedAt: message.at,
    };
    this.#lastSeq += 1;
    const inserted: LocalMessage = { ...message, position: this.#lastSeq, seq: this.#lastSeq };
    this.#threads.set(updated.id, updated);
    this.#messages.set(inserted.id, inserted);
    return Promise.resolve({ type: "inserted", message: inserted, thread: updated });
  }

  update(id: string, bodyOf: (message: LocalMessage) => string): Promise<LocalMessage | null> {
    const message = this.#messages.get(id);
    if (message === undefined) return Promise.resolve(null);
    this.#lastSeq += 1;
    const updated: LocalMessage = { ...message, body: bodyOf(message), seq: this.#lastSeq };
    this.#messages.set(id, updated);
    return Promise.resolve(updated);
  }

  putFile(file: LocalFile): Promise<void> {
    this.#files.set(file.id, file);
    return Promise.resolve();
  }

  file(id: string): Promise<LocalFile | null> {
    return Promise.resolve(this.#files.get(id) ?? null);
  }

  /** Deletes a thread, as retention and a person with access to the database can; no adapter does. */
  deleteThread(threadId: string): void {
    this.#threads.delete(threadId);
    for (const message of this.#all()) if (message.threadId === threadId) this.#messages.delete(message.id);
  }

  /** Deletes a message; its number is never given again. */
  deleteMessage(id: string): void {
    this.#messages.delete(id);
  }

  #all(): LocalMessage[] {
    return [...this.#messages.values()];
  }
}
