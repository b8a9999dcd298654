import { MAX_DELIVERY_MS, postKey } from "../engine/post-once.ts";
import { KeyedMutex } from "../keyed-mutex.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import type { PlatformName, ThreadRef } from "../platform/thread.ts";
import { isDatabaseUnavailable } from "../protocol/database-failure.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { Clock } from "../protocol/runtime.ts";
import { SuspendSignal } from "../protocol/signals.ts";
import type { LastState, PostRow } from "../store/posts.ts";
import type { Store } from "../store/store.ts";
import { postAccepted } from "./interaction.ts";

export interface MessageFinaliserOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly platform: (name: PlatformName) => Pick<ChatPlatform, "edit" | "find">;
  /** Aborts when the process shuts down. */
  readonly signal: AbortSignal;
}

/** The final edit of one of the bot's messages, a live message or a card. */
export interface FinalMessage {
  /** Idempotency key of the post on the platform. */
  readonly key: string;
  readonly thread: ThreadRef;
  /** The final state of the message. */
  readonly last: OutgoingMessage;
  /** Set if a process that has since ended left the message unfinished. */
  readonly isLeft?: true;
}

/** Delay before a failed edit is tried again. It doubles with each failure up to `most`. In milliseconds. */
const RETRY_MS = { first: 500, most: 64_000 };

/** Errors that do not go away by themselves: the message was deleted, the channel archived, or a permission revoked. */
const LASTING: ReadonlySet<string> = new Set(["thread_gone", "missing_scope", "platform_auth", "defect"]);

/**
 * Edits messages into their final states, which are stored beforehand (`posts.closes`), so the next process finishes
 * what this one cannot. Runs do not wait for it: under load edits are slow, and nothing depends on when people see
 * them.
 */
export class MessageFinaliser {
  readonly #options: MessageFinaliserOptions;
  /** When this process started, in milliseconds since the epoch. */
  readonly #since: number;
  readonly #underWay = new Map<string, Promise<boolean>>();
  readonly #amending = new KeyedMutex();
  /** Keys of messages with a lasting error. Only the next process tries them again. */
  readonly #givenUp = new Set<string>();

  constructor(options: MessageFinaliserOptions) {
    this.#options = options;
    this.#since = options.clock.now();
  }

  /**
   * Stores the final state and begins to show it, unless that was already done. Returns whether this call stored it.
   * Throws what the store throws.
   */
  async close(runId: string, key: string, final: Omit<FinalMessage, "key">): Promise<boolean> {
    const { store } = this.#options;
    const message = { ...final, key: postKey(runId, key) };
    const post = await store.posts.get(message.key);
    const isFirst = post?.closing === null;
    if (isFirst) await store.transaction((tx) => tx.posts.closes(message.key, message.last));
    if (isFirst || post?.closing === "stored") this.begin(message);
    return isFirst;
  }

  /**
   * Appends a few words to a message's final state and begins to show it. Does nothing if the message has none. Throws
   * what the store throws.
   */
  amend(runId: string, key: string, { thread, words }: { thread: ThreadRef; words: string }): Promise<void> {
    return this.#closeAgain(postKey(runId, key), thread, (last) => ({
      ...last,
      ...amendedShown(last, words),
      markdown: `${last.markdown} · ${words}`,
    }));
  }

  /**
   * Begins to show a message's final state again, because something else may have been shown after it. Does nothing if
   * the message has none. Throws what the store throws.
   */
  repeat(runId: string, key: string, thread: ThreadRef): Promise<void> {
    return this.#closeAgain(postKey(runId, key), thread, (last) => last);
  }

  #closeAgain(key: string, thread: ThreadRef, change: (last: LastState) => LastState): Promise<void> {
    const { store } = this.#options;
    return this.#amending.run(key, async () => {
      // An edit in progress still shows the previous state.
      await this.#underWay.get(key);
      const known = (await store.posts.get(key))?.last ?? null;
      if (known === null) return;
      const last = { ...change(known), files: [] };
      await store.transaction((tx) => tx.posts.closes(key, last));
      this.begin({ key, thread, last });
    });
  }

  /** Starts `finalise` without waiting for it. */
  begin(message: FinalMessage): void {
    this.finalise(message).catch(() => false); // it never rejects
  }

  /**
   * Edits the message until it shows its final state, and resolves with whether it does. Joins an edit already in
   * progress. Never rejects.
   */
  finalise(message: FinalMessage): Promise<boolean> {
    const { log, signal } = this.#options;
    const { key } = message;
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const finalising = this.#finalise(message)
      .catch((error: unknown) => {
        if (!signal.aborted) log.warn({ key, code: toAppError(error).code }, "message_not_closed");
        return false;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, finalising);
    return finalising;
  }

  /**
   * Starts finalising messages that earlier processes left as if work were in progress although their runs have ended.
   * With `endedBefore`, only runs that ended before that time count.
   */
  async finaliseStale(platform: PlatformName, endedBefore: number | null = null): Promise<void> {
    for (const { key, thread, closing } of await this.#options.store.posts.unclosed(endedBefore)) {
      if (thread.platform === platform && !this.#givenUp.has(key))
        this.begin({ key, thread, last: { ...closing, files: [] }, isLeft: true });
    }
  }

  /** Tries until it succeeds or can never succeed, because nobody else does while this is the only process. */
  async #finalise(message: FinalMessage): Promise<boolean> {
    const { clock, log, signal } = this.#options;
    const { key } = message;
    const since = clock.now();
    for (let waitMs = RETRY_MS.first; ; waitMs = Math.min(2 * waitMs, RETRY_MS.most)) {
      const end = await this.#tried(message, since);
      if (end === "shown") return true;
      if (end === "absent" || end === "suspended") return false;
      const isLasting = LASTING.has(end);
      // Once, although the tries go on.
      if (isLasting || waitMs === RETRY_MS.most / 2) log.warn({ key, code: end }, "message_not_closed");
      if (isLasting) this.#givenUp.add(key);
      if (isLasting) return false;
      await clock.sleep(waitMs, signal);
    }
  }

  /** Edits the message once, records that it shows its final state, and returns the result or an error code. */
  async #tried(message: FinalMessage, since: number): Promise<string> {
    const { store, clock } = this.#options;
    const { key } = message;
    try {
      const post = await store.posts.get(key);
      if (post === null) return "absent";
      const end = await this.#edited(message, { ...post, since });
      if (end === "shown" || end === "absent") await store.transaction((tx) => tx.posts.closed(key, clock.now()));
      return end;
    } catch (error) {
      if (isDatabaseUnavailable(error)) return "database_unavailable";
      throw error;
    }
  }

  /**
   * Edits the message once and returns the result or an error code. If the reply to its post was lost, the message is
   * searched for until it can no longer land.
   */
  async #edited(
    { key, thread, last, isLeft }: FinalMessage,
    { posted, intentAt, since }: PostRow & { readonly since: number },
  ): Promise<string> {
    const { clock } = this.#options;
    const platform = this.#options.platform(thread.platform);
    try {
      const begun = clock.now();
      const target = posted ?? (await platform.find(thread, key, intentAt));
      // Posts of this process may still be queued. A process that has ended sent its last one at its end at the latest.
      const mayLand = (isLeft !== true && intentAt >= this.#since) || begun - since < MAX_DELIVERY_MS;
      if (target === null) return mayLand ? "may_still_land" : "absent";
      const refused = await postAccepted((form) => platform.edit(target, form), [() => last, () => plainEnd(last)]);
      return refused === null ? "shown" : refused.code;
    } catch (error) {
      return error instanceof SuspendSignal ? "suspended" : toAppError(error).code;
    }
  }
}

function amendedShown({ shows }: LastState, words: string): Pick<OutgoingMessage, "shows"> {
  return shows?.type === "end" ? { shows: { ...shows, head: `${shows.head} · ${words}` } } : {};
}

/** Fallback if the platform refuses the final message: the same message without the signs of work in progress. */
function plainEnd({ footer: _footer, ...last }: OutgoingMessage): OutgoingMessage {
  return { ...last, markdown: "⏹ This has ended; its last message couldn't be posted.", files: [] };
}
