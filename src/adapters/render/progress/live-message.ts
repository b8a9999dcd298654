import { toAppError } from "../../../core/protocol/errors.ts";
import type { Log } from "../../../core/protocol/log.ts";
import type { OutgoingMessage } from "../../../core/protocol/platform.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { SuspendSignal } from "../../../core/protocol/signals.ts";

/** Least time between two edits. Milliseconds. */
const EDIT_EVERY_MS = 1_000;

export interface LiveMessageOptions {
  /** The message as it should look now. */
  readonly render: () => OutgoingMessage;
  /** Changes the message; asks for the newest content when its turn comes. The signal takes back an edit that still waits. */
  readonly edit: (latest: () => OutgoingMessage, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * One message that is edited in place: one edit in flight, the latest content wins, nothing is sent
 * when nothing changed. Failed edits are logged and made up for by the next one.
 */
export class LiveMessage {
  readonly #options: LiveMessageOptions;
  #shown: string;
  #changed = false;
  #closed = false;
  #taken = new AbortController();
  /** No edit can succeed any more: the thread is gone, or the platform is being stopped. */
  #gone = false;
  #cancelWait: (() => void) | undefined;
  #lastEditAt: number;
  #inFlight: Promise<void> | undefined;
  /** What it said has been refused as it was written: it shows its first line alone from then on. */
  #isRefused = false;
  #render: () => OutgoingMessage;

  /** `posted` is what the message shows now; null when that is not known. */
  constructor(posted: OutgoingMessage | null, options: LiveMessageOptions) {
    this.#options = options;
    this.#render = options.render;
    this.#shown = posted === null ? "" : fingerprint(posted);
    this.#lastEditAt = options.clock.now();
  }

  /** Something may look different now; an edit follows as soon as it may. */
  touch(): void {
    this.#changed = true;
    this.#schedule();
  }

  /** Shows the message for the last time; false when that was tried `attempts` times in vain. */
  async finish(last: OutgoingMessage, attempts: number): Promise<boolean> {
    await this.stop();
    this.#taken = new AbortController();
    this.#render = () => last;
    for (
      let attempt = 1;
      attempt <= attempts && !this.#gone && this.#shown !== fingerprint(this.#content());
      attempt += 1
    ) {
      await this.#edit();
    }
    return this.#shown === fingerprint(this.#content());
  }

  #content(): OutgoingMessage {
    const message = this.#render();
    return this.#isRefused ? { ...message, markdown: message.markdown.split("\n", 1).join("") } : message;
  }

  /** No further edits: one that waits for its turn is taken back. Resolves when none is in flight. */
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
    const waitMs = this.#lastEditAt + EDIT_EVERY_MS - clock.now();
    if (waitMs > 0) {
      this.#cancelWait = clock.after(waitMs, () => {
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
