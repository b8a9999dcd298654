/**
 * Where the threads of the web page and of the terminal live. Slack and Discord keep their own messages; these two have
 * nobody behind them, so this store is to their adapters what Slack's servers are to Slack's.
 *
 * Whoever writes writes one thing at a time, also where several processes do. Every insert and every update gives
 * the message a sequence number higher than any before it, across all threads: a page that knows the
 * highest number it has seen can ask for everything that changed since.
 */

export interface LocalThread {
  readonly id: string;
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When its newest message was inserted. Milliseconds since the epoch. */
  readonly updatedAt: number;
}

export interface LocalMessage {
  readonly id: string;
  readonly threadId: string;
  /** Unique: `web:<client id>`, `terminal:<client id>` of a person's message, the post's key of ours. */
  readonly key: string;
  /** Order within the thread: the sequence number the message got when it was inserted. Never changes. */
  readonly position: number;
  /** The sequence number of its newest change. */
  readonly seq: number;
  readonly fromPerson: boolean;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** JSON text of a `MessageBody` (wire.ts); the store does not look into it. */
  readonly body: string;
}

export type NewLocalMessage = Omit<LocalMessage, "position" | "seq">;

/** A file of a message. `id` is derived from its content, so putting it again changes nothing. */
export interface LocalFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
}

export type InsertOutcome =
  | { readonly type: "inserted"; readonly message: LocalMessage; readonly thread: LocalThread }
  /** A message with this key is there already; it is left as it is. */
  | { readonly type: "duplicate"; readonly message: LocalMessage }
  | { readonly type: "no_thread" };

/** A message that was posted or changed, and where. */
export interface LocalChange {
  readonly message: LocalMessage;
  readonly thread: LocalThread;
}

export interface LocalThreadStore {
  /** Newest activity first. */
  threads(limit: number): Promise<readonly LocalThread[]>;
  /** The newest messages whose position is below `before` (null: of all), oldest first. Null without such a thread. */
  messages(threadId: string, before: number | null, limit: number): Promise<readonly LocalMessage[] | null>;
  /** Messages of all threads changed after `seq`, in order of `seq`. */
  since(seq: number, limit: number): Promise<readonly LocalMessage[]>;
  /** The same, each with its thread. */
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
