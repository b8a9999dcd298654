import { isDatabaseAway, isDiskFull } from "../protocol/database-failure.ts";
import { type InboundMessage, type Receive, sessionKeyOf } from "../protocol/platform.ts";
import { privately } from "../protocol/private-reply.ts";
import { slept } from "../protocol/runtime.ts";
import { awayLine, isTaken, type MissedOptions, TOLD_MS, takeSince } from "./missed.ts";

/** How long until what could not be stored is looked for; doubles while that fails. Milliseconds. */
const AGAIN_MS = { first: 5_000, most: 60_000 };

/** What is said of a command or a click, which platforms deliver once; null where the database is not the reason. */
export function whyNotDone(error: unknown): string | null {
  if (isDiskFull(error))
    return "✗ My disk is full: I can take nothing more until an operator makes room. Then do that again.";
  return isDatabaseAway(error) ? "✗ My database does not answer. Do that again in a moment." : null;
}

const NO_ROOM = "My disk is full: I can take nothing more until an operator makes room. Then I answer what you wrote.";

/**
 * What people write while the database takes nothing, as one whose disk is full: a platform delivers it a few times within
 * minutes, or only once. It is read from the platform and taken as soon as the database takes it.
 */
export class Untaken {
  readonly #options: MissedOptions;
  /** When the first came that is not taken yet; null where there is none. Milliseconds since the epoch. */
  #since: number | null = null;
  /** Keys of threads that have been told why. */
  readonly #told = new Set<string>();

  constructor(options: MissedOptions) {
    this.#options = options;
  }

  readonly receive: Receive = async (event) => {
    try {
      return await this.#options.receive(event);
    } catch (error) {
      const why = whyNotDone(error);
      if (why !== null && (event.kind === "command" || event.kind === "action")) {
        this.#options.log.error({ err: error, key: event.key }, "event_not_taken");
        return { type: "refused", reason: why };
      }
      if (why !== null && event.kind === "message") {
        this.#since ??= this.#options.clock.now();
        this.#options.stored(error);
        if (isDiskFull(error)) await this.#tell(event);
      }
      throw error;
    }
  };

  /** Until the signal aborts. */
  async keepTaking(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    for (let againMs = AGAIN_MS.first; await slept(clock, againMs, signal); ) {
      againMs = (await this.#takeAgain(signal)) ? AGAIN_MS.first : Math.min(AGAIN_MS.most, 2 * againMs);
    }
  }

  /** False when it has to be tried again. */
  async #takeAgain(signal: AbortSignal): Promise<boolean> {
    const since = this.#since;
    if (since === null) return true;
    this.#since = null;
    const { clock, timezone } = this.#options;
    const now = clock.now();
    const away = now - since >= TOLD_MS ? awayLine({ from: since, to: now }, timezone) : null;
    const options = { ...this.#options, receive: this.receive };
    const isRead = await isTaken(options, () => takeSince(options, { seenAt: since, away }, signal), signal);
    if (isRead && this.#since === null) {
      this.#options.stored(null);
      this.#told.clear();
      return true;
    }
    this.#since = since;
    return false;
  }

  /** Once a thread. */
  async #tell({ thread, person, addressed }: InboundMessage): Promise<void> {
    const key = sessionKeyOf(thread);
    if (this.#told.has(key) || (addressed !== "mention" && addressed !== "dm")) return;
    this.#told.add(key);
    const { platform, log } = this.#options;
    try {
      await platform.postEphemeral(thread, person.id, privately(NO_ROOM));
    } catch (error) {
      log.debug({ err: error }, "full_disk_not_told");
    }
  }
}
