import type {
  InsertOutcome,
  LocalChange,
  LocalFile,
  LocalMessage,
  LocalThread,
  NewLocalMessage,
} from "../../../core/store/web-threads.ts";

/**
 * Where the threads of the web page and of the terminal live. Slack and Discord keep their own messages; these two have
 * nobody behind them, so this store is to their adapters what Slack's servers are to Slack's.
 *
 * Whoever writes writes one thing at a time, also where several processes do. Every insert and every update gives
 * the message a sequence number higher than any before it, across all threads: a page that knows the
 * highest number it has seen can ask for everything that changed since.
 */

export interface LocalThreadStore {
  /** Newest activity first. */
  threads(limit: number): Promise<readonly LocalThread[]>;
  /** The newest messages whose position is below `before` (null: of all), oldest first. Null without such a thread. */
  messages(threadId: string, before: number | null, limit: number): Promise<readonly LocalMessage[] | null>;
  /** Messages of all threads changed after `seq`, in order of `seq`, each with its thread. */
  changes(seq: number, limit: number): Promise<readonly LocalChange[]>;
  /** The highest sequence number given so far; 0 when there is none. */
  lastSeq(): Promise<number>;
  message(id: string): Promise<LocalMessage | null>;
  messageByKey(key: string): Promise<LocalMessage | null>;
  /** People's messages written at or after `at`, oldest first. */
  fromPeople(at: number, limit: number): Promise<readonly LocalMessage[]>;
  /**
   * One transaction. `opens` makes the thread with this title when it is not there; without it
   * (null), the thread must exist.
   */
  insert(message: NewLocalMessage, opens: { readonly title: string } | null): Promise<InsertOutcome>;
  /** Replaces the body by what is made of the message as it is now, and gives a new `seq`. Null without such a message. */
  update(id: string, bodyOf: (message: LocalMessage) => string): Promise<LocalMessage | null>;
  putFile(file: LocalFile): Promise<void>;
  file(id: string): Promise<LocalFile | null>;
}
