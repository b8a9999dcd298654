import type { OutgoingMessage } from "../../../core/platform/outgoing.ts";
import { toAppError } from "../../../core/protocol/errors.ts";
import type { Log } from "../../../core/protocol/log.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { SuspendSignal } from "../../../core/protocol/signals.ts";

/** Minimum time between two edits. In milliseconds. */
const EDIT_EVERY_MS = 1_000;

export interface LiveMessageOptions {
  /** The message as it should look now. */
  readonly render: () => OutgoingMessage;
  /** Edits the message, with the newest content when its turn comes. The signal cancels an edit that still waits. */
  readonly edit: (latest: () => OutgoingMessage, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One message that is edited in place. At most one edit is in flight, the latest content wins, and nothing is sent if
 * nothing changed. A failed edit is logged, and the next one makes up for it.
 */
export class LiveMessage {
  readonly #options: LiveMessageOptions;
  #shown: string;
  #changed = false;
  #closed = false;
  #taken = new AbortController();
  /** True once no edit can succeed any more: the thread is gone, or the platform is stopping. */
  #gone = false;
  #cancelWait: (() => void) | undefined;
  #lastEditAt: number;
  #inFlight: Promise<void> | undefined;
  /** True once the platform has refused the content; from then on the message shows only its first line. */
  #isRefused = false;
  #render: () => OutgoingMessage;

  /** `posted` is what the message shows now; null if that is unknown. */
  constructor(posted: OutgoingMessage | null, options: LiveMessageOptions) {
    this.#options = options;
    this.#render = options.render;
    this.#shown = posted === null ? "" : fingerprint(posted);
    this.#lastEditAt = options.clock.now();
  }

  /** Notes that the content may have changed; an edit follows as soon as the minimum time allows. */
  touch(): void {
    this.#changed = true;
    this.#schedule();
  }

  /** Shows the final content; false if all `attempts` failed. */
  async finish(last: OutgoingMessage, attempts: number): Promise<boolean> {
    await this.stop();
    this.#taken = new AbortController();
    this.#render = () => last;
    const isShown = () => this.#shown === fingerprint(this.#content());
    for (let left = attempts; left > 0 && !this.#gone && !isShown(); left -= 1) await this.#edit();
    return isShown();
  }

  #content(): OutgoingMessage {
    const message = this.#render();
    return this.#isRefused ? { ...message, markdown: message.markdown.split("\n", 1).join("") } : message;
  }

  /** Stops editing and cancels an edit that waits for its turn. Resolves when none is in flight. */
  async stop(): Promise<void> {
    this.#closed = true;
    this.#cancelWait?.();
    this.#taken.abort();
    await this.#inFlight;
  }

  #schedule(): void {
    if (this.#closed || this.#gone || this.#inFlight !== undefined || this.#cancelWait !== undefined || !this.#changed)
      return;
    const { clock } = this.#options;
    const sinceMs = clock.now() - this.#lastEditAt;
    // Negative if the clock was set back.
    if (sinceMs >= 0 && sinceMs < EDIT_EVERY_MS) {
      this.#cancelWait = clock.after(EDIT_EVERY_MS - sinceMs, () => {
        this.#cancelWait = undefined;
        this.#schedule();
      });
      return;
    }
    this.#changed = false;
    if (fingerprint(this.#content()) === this.#shown) return;
    this.#inFlight = this.#edit().finally(() => {
      this.#inFlight = undefined;
      this.#schedule();
    });
  }

  /** Never rejects. */
  async #edit(): Promise<void> {
    let sent = "";
    const latest = () => {
      const message = this.#content();
      sent = fingerprint(message);
      return message;
    };
    const { signal } = this.#taken;
    try {
      await this.#options.edit(latest, signal);
      this.#shown = sent;
    } catch (error) {
      if (error === signal.reason) return;
      if (error instanceof SuspendSignal) {
        this.#gone = true;
        return;
      }
      const { code, message } = toAppError(error);
      this.#options.log.warn({ code, message }, "live_message_edit_failed");
      this.#gone = code === "thread_gone";
      if (code === "defect") this.#changed = this.#isRefused = true;
    }
    this.#lastEditAt = this.#options.clock.now();
  }
}

function fingerprint({ markdown, footer, tone, buttons, files }: OutgoingMessage): string {
  return JSON.stringify([markdown, footer ?? null, tone, buttons, files.map((file) => file.name)]);
}
