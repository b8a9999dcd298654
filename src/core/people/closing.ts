import { LANDING_MS } from "../engine/post-once.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { ChatPlatform, OutgoingMessage, ThreadRef } from "../protocol/platform.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";

export interface ClosingOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly platform: Pick<ChatPlatform, "edit" | "find">;
  readonly session: { readonly thread: ThreadRef };
}

/** How long until an edit that failed is tried again. Milliseconds. */
const AGAIN_MS = [500, 1_000, 2_000, 4_000];

/**
 * Brings a message of ours to its last state, without files. Where that cannot be for now, the next process
 * does it: the state is in the store first. Throws what the store throws.
 */
export async function showClosed(key: string, last: OutgoingMessage, options: ClosingOptions): Promise<void> {
  const { store, clock, log } = options;
  const { files: _files, ...closing } = last;
  await store.transaction((tx) => tx.posts.closes(key, closing));
  for (const waitMs of [...AGAIN_MS, null]) {
    const failure = await edited(key, last, options);
    if (failure === null) {
      await store.transaction((tx) => tx.posts.closed(key));
      return;
    }
    if (waitMs === null || LASTING.has(failure)) {
      log.warn({ key, code: failure }, "message_not_closed");
      return;
    }
    await clock.sleep(waitMs, NO_HURRY);
  }
}

/**
 * Messages that are on their way to their last state while the runs they belong to go on: edits are few and slow where
 * many wait for them, and nothing depends on what people see of a decision.
 */
export class Closings {
  readonly #underWay = new Map<string, Promise<void>>();

  /** As `showClosed`; what is under way already is not begun again. A failure is logged, and the next process tries. */
  begin(key: string, last: OutgoingMessage, options: ClosingOptions): void {
    if (this.#underWay.has(key)) return;
    const closing = showClosed(key, last, options)
      .catch((error: unknown) => options.log.warn({ key, code: toAppError(error).code }, "message_not_closed"))
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, closing);
  }
}

/** Errors that are still there a moment later: the message was deleted, the channel archived, a right taken away. */
const LASTING: ReadonlySet<string> = new Set(["thread_gone", "missing_scope", "platform_auth", "defect"]);

/** A stop of the run does not end the wait: its cards are closed all the same. */
const NO_HURRY = new AbortController().signal;

/** Null when it is done, or else why not. A post whose answer was lost is looked for, until it can no longer land. */
async function edited(key: string, last: OutgoingMessage, { store, clock, platform, session }: ClosingOptions) {
  const post = await store.posts.get(key);
  if (post === null) return null;
  try {
    const begun = clock.now();
    const posted = post.posted ?? (await platform.find(session.thread, key, post.intentAt));
    if (posted === null) return begun - post.intentAt < LANDING_MS ? "may_still_land" : null;
    await platform.edit(posted, last);
    return null;
  } catch (error) {
    return toAppError(error).code;
  }
}
