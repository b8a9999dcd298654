import type { StoreReads } from "../../../core/store/store.ts";
import type {
  InsertOutcome,
  LocalChange,
  LocalFile,
  LocalMessage,
  LocalThread,
  NewLocalMessage,
} from "../../../core/store/web-threads.ts";

/**
 * Stores the threads of the web page and of the terminal. Slack and Discord keep their own messages; for these two
 * platforms the store takes the place of the platform's servers. Writes happen one at a time, across processes, too.
 * Every insert and update gives the message a sequence number higher than any before, across all threads, so a page
 * that knows the highest number it has seen can ask for everything that changed since.
 */

export interface LocalThreadStore
  extends Pick<StoreReads["webThreads"], "lastSeq" | "message" | "messageByKey" | "file"> {
  /** Threads, most recently active first. */
  threads(limit: number): Promise<readonly LocalThread[]>;
  /** The newest messages below position `before` (null: no bound), oldest first. Null if the thread does not exist. */
  messages(threadId: string, before: number | null, limit: number): Promise<readonly LocalMessage[] | null>;
  /** Messages of all threads changed after `seq`, in order of `seq`, each with its thread. */
  changes(seq: number, limit: number): Promise<readonly LocalChange[]>;
  /** People's messages written at or after `at`, oldest first. */
  fromPeople(at: number, limit: number): Promise<readonly LocalMessage[]>;
  /**
   * Inserts in one transaction. `opens` creates the thread with this title unless it exists; if it is null, the thread
   * must exist.
   */
  insert(message: NewLocalMessage, opens: { readonly title: string } | null): Promise<InsertOutcome>;
  /** Replaces the body with the result of `bodyOf`, and assigns a new `seq`. Null if there is no such message. */
  update(id: string, bodyOf: (message: LocalMessage) => string): Promise<LocalMessage | null>;
  putFile(file: LocalFile): Promise<void>;
}
