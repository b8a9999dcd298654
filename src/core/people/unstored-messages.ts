import type { InboundMessage, Receive } from "../platform/inbound.ts";
import { privateMessage } from "../platform/replies.ts";
import { sessionKeyOf } from "../platform/thread.ts";
import { isDatabaseUnavailable, isDiskFull } from "../protocol/database-failure.ts";
import { sleepUnlessAborted } from "../protocol/runtime.ts";
import { absenceNotice, MIN_ANNOUNCED_MS, type MissedOptions, takeMissedSince, tryTake } from "./missed-messages.ts";

/** Delay before messages that could not be stored are fetched again. It doubles with each failure. In milliseconds. */
const AGAIN_MS = { first: 5_000, most: 60_000 };

/** The reply to a command or a click, which platforms deliver only once; null if the database is not the cause. */
export function notStoredReply(error: unknown): string | null {
  if (isDiskFull(error))
    return "✗ My disk is full, so I can't take anything until an operator frees space. Then try again.";
  return isDatabaseUnavailable(error) ? "✗ My database is not responding. Try again in a moment." : null;
}

const DISK_FULL =
  "My disk is full, so I can't take anything until an operator frees space. Then I'll answer what you wrote.";

/**
 * Handles messages that arrive while the database accepts no writes, for example because the disk is full. A platform
 * redelivers them only for minutes, if at all, so they are read back from the platform once the database accepts writes
 * again.
 */
export class UnstoredMessages {
  readonly #options: MissedOptions;
  /**
   * When the oldest message that is still not stored arrived, in milliseconds since the epoch; null if there is none.
   */
  #since: number | null = null;
  /** Keys of threads that have been told the reason. */
  readonly #informed = new Set<string>();

  constructor(options: MissedOptions) {
    this.#options = options;
  }

  readonly receive: Receive = async (event) => {
    try {
      return await this.#options.receive(event);
    } catch (error) {
      const why = notStoredReply(error);
      if (why !== null && (event.kind === "command" || event.kind === "action")) {
        this.#options.log.error({ err: error, key: event.key }, "event_not_taken");
        return { type: "refused", reason: why };
      }
      if (why !== null && event.kind === "message") {
        this.#since ??= this.#options.clock.now();
        this.#options.onStored(error);
        if (isDiskFull(error)) await this.#tell(event);
      }
      throw error;
    }
  };

  /** Keeps trying to take unstored messages until the signal aborts. */
  async keepTaking(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let againMs = AGAIN_MS.first; await sleepUnlessAborted(clock, againMs, signal); ) {
      againMs = (await this.#takeAgain(signal)) ? AGAIN_MS.first : Math.min(AGAIN_MS.most, 2 * againMs);
    }
  }

  /** Returns false if it should be tried again. */
  async #takeAgain(signal: AbortSignal): Promise<boolean> {
    const since = this.#since;
    if (since === null) return true;
    this.#since = null;
    const { clock, timezone } = this.#options;
    const now = clock.now();
    const notice = now - since >= MIN_ANNOUNCED_MS ? absenceNotice({ from: since, to: now }, timezone) : null;
    const options = { ...this.#options, receive: this.receive };
    const isRead = await tryTake(options, () => takeMissedSince(options, { seenAt: since, notice }, signal), signal);
    if (isRead && this.#since === null) {
      this.#options.onStored(null);
      this.#informed.clear();
      return true;
    }
    this.#since = since;
    return false;
  }

  /** Tells each thread once. */
  async #tell({ thread, person, addressed }: InboundMessage): Promise<void> {
    const key = sessionKeyOf(thread);
    if (this.#informed.has(key) || (addressed !== "mention" && addressed !== "dm")) return;
    this.#informed.add(key);
    const { platform, log } = this.#options;
    try {
      await platform.postEphemeral(thread, person.id, privateMessage(DISK_FULL));
    } catch (error) {
      log.debug({ err: error }, "full_disk_not_told");
    }
  }
}
