import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { OutgoingMessage, PostedMessage } from "../platform/outgoing.ts";
import type { ThreadRef } from "../platform/thread.ts";
import { isDatabaseUnavailable } from "../protocol/database-failure.ts";
import { AppError, PlatformError, toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import { tryAgain } from "./try-again.ts";

/** The platform operations that posting needs. */
export type PostTarget = Pick<ChatPlatform, "post" | "find">;

export interface PostOnce {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly target: PostTarget;
  readonly owner: { readonly runId: string; readonly sessionId: string; readonly epoch: number };
  readonly thread: ThreadRef;
  /** Aborts when the process gives up the run, but not when a person stops it. */
  readonly signal: AbortSignal;
  /** Aborts in both cases. A stopped run posts no new cards, because its open cards have already been withdrawn. */
  readonly stopped: AbortSignal;
  /** Whether nothing has been posted under the key before. */
  readonly isFirst?: boolean;
  /** When an earlier transaction stored the intent, in milliseconds since the epoch. */
  readonly intentAt?: number | null;
  /** Keys whose last post the platform has refused, so that the next form of that message need not be looked for. */
  readonly refused?: Set<string>;
  /** If given, marks the post as sent with the next commit, in place of a transaction of its own. */
  readonly marks?: ((posted: PostedMessage) => void) | null;
}

/**
 * How long an interrupted post may still land, in milliseconds since the last moment at which it may have been sent.
 * Until then the platform is searched repeatedly, and only after that is the message posted again.
 */
export const MAX_DELIVERY_MS = 3_000;
const LOOK_EVERY_MS = 500;
const RETRY_MS = { first: 500, most: 30_000 };

/** Maximum number of tries for a message that the platform refuses for an unknown reason, which may be transient. */
const UNKNOWN_REFUSALS = 8;

/** Errors after which the message is certainly not on the platform and never will be. */
const FINAL: ReadonlySet<string> = new Set(["thread_gone", "missing_scope", "platform_auth"]);

/**
 * Posts a message exactly once under a key, also across a crash: the intent is durable before the
 * platform is called, and an intent without an outcome is looked for before it is posted again.
 */
export async function postOnce(context: PostOnce, key: string, message: OutgoingMessage): Promise<PostedMessage> {
  const known = context.isFirst ? null : await withRetries(context, key, () => context.store.posts.get(key));
  if (known?.posted) return known.posted;
  const isRefused = context.refused?.delete(key) === true;
  // A message sent by an earlier process may land as late as one sent now.
  let doubt: UncertainPost | null =
    known === null || isRefused ? null : { intentAt: known.intentAt, since: context.clock.now() };
  for (let attempt = 0; ; attempt++) {
    const found = doubt === null ? null : await look(context, key, doubt);
    if (found !== null) return settle(context, key, found);
    const announced = attempt === 0 && known === null ? context.intentAt : null;
    const intentAt =
      announced ??
      (await writeIntent(context, key, { isCard: message.lane === "approval", again: known !== null || attempt > 0 }));
    doubt = null;
    try {
      return await settle(context, key, await context.target.post(context.thread, message, key));
    } catch (error) {
      // The message has landed. The run finds it when it continues.
      if (isDatabaseUnavailable(error)) throw error;
      const failure = toAppError(error);
      if (isRefusal(failure)) context.refused?.add(key);
      if (context.signal.aborted || !mayRetry(failure)) throw failure;
      context.log.warn({ err: failure, key, attempt }, "post_failed");
      if (failure.detail["refused"] === "unknown" && attempt + 1 >= UNKNOWN_REFUSALS)
        throw new PlatformError("defect", failure.message, { cause: failure, detail: failure.detail });
      if (failure.detail["sent"] !== "no") doubt = { intentAt, since: context.clock.now() };
      await context.clock.sleep(retryDelay(failure, attempt), context.signal);
    }
  }
}

export function postKey(runId: string, key: string): string {
  return `${runId}:${key}`;
}

/** A post that may or may not have landed. Times are in milliseconds since the epoch. */
interface UncertainPost {
  readonly intentAt: number;
  /** Since when nothing more has been sent. */
  readonly since: number;
}

/** Whether the platform itself has said that it does not take the message. */
function isRefusal(error: AppError): boolean {
  return error instanceof PlatformError && (FINAL.has(error.code) || error.code === "defect");
}

function mayRetry(error: AppError): boolean {
  return !FINAL.has(error.code) && error.code !== "stale_owner" && error.code !== "defect";
}

function retryDelay(error: AppError, attempt: number): number {
  return error.retryAfterMs ?? Math.min(RETRY_MS.most, RETRY_MS.first * 2 ** attempt);
}

interface Intent {
  readonly isCard: boolean;
  readonly again: boolean;
}

async function writeIntent(context: PostOnce, key: string, { isCard, again }: Intent): Promise<number> {
  const { store, clock, owner, stopped } = context;
  const at = clock.now();
  const write = (attempt: number) =>
    store.transaction(async (tx) => {
      await tx.sessions.fence(owner.sessionId, owner.epoch, at);
      // Checked while the session is locked, so that a later withdrawal of cards finds this one.
      if (isCard) stopped.throwIfAborted();
      if (again || (attempt > 1 && (await tx.posts.get(key)) !== null)) await tx.posts.renew(key, at);
      else await tx.posts.intend({ key, runId: owner.runId, sessionId: owner.sessionId, at });
    });
  await withRetries(context, key, write);
  return at;
}

async function settle(context: PostOnce, key: string, posted: PostedMessage): Promise<PostedMessage> {
  const { store, clock, marks } = context;
  if (marks) marks(posted);
  else await withRetries(context, key, () => store.transaction((tx) => tx.posts.sent(key, posted, clock.now())));
  return posted;
}

/** Retries briefly, so that a short database outage does not abandon a message that has been posted. */
function withRetries<T>(context: PostOnce, key: string, work: (attempt: number) => Promise<T>): Promise<T> {
  return tryAgain(work, { ...context, what: { runId: context.owner.runId, key } });
}

/** Searches the platform until the message is found or can no longer land. A failed search is repeated. */
async function look(context: PostOnce, key: string, { intentAt, since }: UncertainPost): Promise<PostedMessage | null> {
  const { clock, signal, target, thread, log } = context;
  for (let delay = LOOK_EVERY_MS; ; ) {
    signal.throwIfAborted();
    const begun = clock.now();
    try {
      const found = await target.find(thread, key, intentAt);
      if (found !== null || begun - since >= MAX_DELIVERY_MS) return found;
      delay = LOOK_EVERY_MS;
    } catch (error) {
      const failure = toAppError(error);
      log.warn({ err: failure, key }, "post_lookup_failed");
      // Without permission to read, the message may be posted twice, which is better than not at all.
      if (failure.code === "missing_scope") {
        if (begun - since >= MAX_DELIVERY_MS) return null;
      } else {
        if (!mayRetry(failure)) throw failure;
        delay = Math.min(RETRY_MS.most, delay * 2);
      }
    }
    await clock.sleep(delay, signal);
  }
}
