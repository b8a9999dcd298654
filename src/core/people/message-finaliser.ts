import { LANDING_MS, postKey } from "../engine/post-once.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { ChatPlatform, OutgoingMessage, PlatformName, ThreadRef } from "../protocol/platform.ts";
import type { Clock } from "../protocol/runtime.ts";
import { SuspendSignal } from "../protocol/signals.ts";
import type { PostRow } from "../store/posts.ts";
import type { Store } from "../store/store.ts";
import { postAccepted } from "./interaction.ts";

export interface MessageFinaliserOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly platform: (name: PlatformName) => Pick<ChatPlatform, "edit" | "find">;
  /** Aborts when the process ends. */
  readonly signal: AbortSignal;
}

/** A message of ours that changes for the last time: a live message or a card. */
export interface FinalMessage {
  /** The post's, as the platform knows it. */
  readonly key: string;
  readonly thread: ThreadRef;
  /** What it ends as. */
  readonly last: OutgoingMessage;
  /** A process that is no more has left it. */
  readonly isLeft?: true;
}

/** How long until an edit that failed is tried again: doubles with each failure. Milliseconds. */
const RETRY_MS = { first: 500, most: 64_000 };

/** Errors that are still there a moment later: the message was deleted, the channel archived, a right taken away. */
const LASTING: ReadonlySet<string> = new Set(["thread_gone", "missing_scope", "platform_auth", "defect"]);

/**
 * Brings messages to their last states, which are in the store before (`posts.closes`): where this process cannot do it, the
 * next one does. Runs do not wait for that: edits are few and slow where many wait for them, and nothing depends on what
 * people see of an end.
 */
export class MessageFinaliser {
  readonly #options: MessageFinaliserOptions;
  /** When this process began; milliseconds since the epoch. */
  readonly #since: number;
  readonly #underWay = new Map<string, Promise<boolean>>();
  /** Keys of messages that something lasting keeps as they are: the next process tries them once more, this one does not. */
  readonly #givenUp = new Set<string>();

  constructor(options: MessageFinaliserOptions) {
    this.#options = options;
    this.#since = options.clock.now();
  }

  /**
   * Writes the last state down and begins to show it, unless that has been done. False when it had been done before. Throws
   * what the store throws.
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
   * Adds a few words to the end of a message's last state, and begins to show it; where it has none, nothing is done. Throws
   * what the store throws.
   */
  async amend(runId: string, key: string, { thread, words }: { thread: ThreadRef; words: string }): Promise<void> {
    const { store } = this.#options;
    const whole = postKey(runId, key);
    // What is under way shows the state as it was.
    await this.#underWay.get(whole);
    const last = (await store.posts.get(whole))?.last ?? null;
    if (last === null) return;
    const amended = { ...last, ...amendedShown(last, words), markdown: `${last.markdown} · ${words}`, files: [] };
    await store.transaction((tx) => tx.posts.closes(whole, amended));
    this.begin({ key: whole, thread, last: amended });
  }

  /** As `finalise`, in its own time. */
  begin(message: FinalMessage): void {
    this.finalise(message).catch(() => false); // it never rejects
  }

  /** True once people see the state that is in the store. What is under way is not begun again. Never rejects. */
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
   * Begins with those that a process before this one has left: their runs have ended, before a time where one is given, and
   * they look as if work went on.
   */
  async finaliseStale(platform: PlatformName, endedBefore: number | null = null): Promise<void> {
    for (const { key, thread, closing } of await this.#options.store.posts.unclosed(endedBefore)) {
      if (thread.platform === platform && !this.#givenUp.has(key))
        this.begin({ key, thread, last: { ...closing, files: [] }, isLeft: true });
    }
  }

  async #finalise(message: FinalMessage): Promise<boolean> {
    const { store, clock, log, signal } = this.#options;
    const { key } = message;
    const since = clock.now();
    for (let waitMs = RETRY_MS.first; ; waitMs *= 2) {
      const post = await store.posts.get(key);
      const end = post === null ? "absent" : await this.#edited(message, { ...post, since });
      if (end === "shown" || end === "absent") {
        if (post !== null) await store.transaction((tx) => tx.posts.closed(key, clock.now()));
        return end === "shown";
      }
      if (end === "suspended") return false;
      if (LASTING.has(end)) this.#givenUp.add(key);
      if (waitMs > RETRY_MS.most || LASTING.has(end)) {
        log.warn({ key, code: end }, "message_not_closed");
        return false;
      }
      await clock.sleep(waitMs, signal);
    }
  }

  /** What has come of it, or why nothing has. A post whose answer was lost is looked for, until it can no longer land. */
  async #edited(
    { key, thread, last, isLeft }: FinalMessage,
    { posted, intentAt, since }: PostRow & { readonly since: number },
  ): Promise<string> {
    const { clock } = this.#options;
    const platform = this.#options.platform(thread.platform);
    try {
      const begun = clock.now();
      const target = posted ?? (await platform.find(thread, key, intentAt));
      // What this process posts may wait for its turn for long; what one that is no more has sent, it sent until its end.
      const mayLand = (isLeft !== true && intentAt >= this.#since) || begun - since < LANDING_MS;
      if (target === null) return mayLand ? "may_still_land" : "absent";
      const refused = await postAccepted((form) => platform.edit(target, form), [() => last, () => plainEnd(last)]);
      return refused === null ? "shown" : refused.code;
    } catch (error) {
      return error instanceof SuspendSignal ? "suspended" : toAppError(error).code;
    }
  }
}

function amendedShown({ shows }: Pick<OutgoingMessage, "shows">, words: string): Pick<OutgoingMessage, "shows"> {
  return shows?.type === "end" ? { shows: { ...shows, head: `${shows.head} · ${words}` } } : {};
}

/** It no longer looks as if work went on, where what it should say is refused. */
function plainEnd({ footer: _footer, ...last }: OutgoingMessage): OutgoingMessage {
  return { ...last, markdown: "⏹ This has ended; what it was to say here was not accepted as a message.", files: [] };
}
