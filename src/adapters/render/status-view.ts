import { toAppError } from "../../core/protocol/errors.ts";
import type { QueryEvent } from "../../core/protocol/events.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { ThreadRef } from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { OpenRunView } from "../../core/sessions/run-view.ts";
import type { PacedPlatform } from "./paced-platform.ts";

export interface StatusViewDeps {
  readonly platform: Pick<PacedPlatform, "showStatus" | "keep">;
  readonly clock: Clock;
  readonly log: Log;
}

/** A status vanishes after two minutes, and when a message is posted. Source: Slack docs, assistant.threads.setStatus. Milliseconds. */
const AGAIN_MS = 60_000;
/** A run of many quick tools changes its status no more often. Milliseconds. */
const LEAST_MS = 3_000;

/** The run's view, and beside the thread a line that says that it goes on, where the platform has one. */
export function withStatus(open: OpenRunView, deps: StatusViewDeps): OpenRunView {
  if (deps.platform.showStatus === undefined) return open;
  return (run) => {
    const view = open(run);
    const status = new StatusLine(run.thread, deps);
    const cleared = async (work: Promise<void>) => {
      try {
        await work;
      } finally {
        status.end();
      }
    };
    return {
      show(event) {
        status.note(event);
        view.show(event);
      },
      finish: (outcome, stats) => cleared(view.finish(outcome, stats)),
      park: () => cleared(view.park()),
      suspend: () => cleared(view.suspend()),
    };
  };
}

class StatusLine {
  readonly #thread: ThreadRef;
  readonly #deps: StatusViewDeps;
  /** One request at a time, so that the last one holds; never rejects. */
  #sending: Promise<void> = Promise.resolve();
  #words = "is working…";
  #sentAt = 0;
  #cancel: () => void = () => {};
  #hasEnded = false;

  constructor(thread: ThreadRef, deps: StatusViewDeps) {
    this.#thread = thread;
    this.#deps = deps;
    this.#show();
  }

  note(event: QueryEvent): void {
    if (event.type !== "tool_start" || this.#hasEnded) return;
    this.#words = `is using ${event.toolName}…`;
    if (this.#deps.clock.now() - this.#sentAt >= LEAST_MS) this.#show();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#cancel();
    this.#send("");
  }

  #show(): void {
    this.#cancel();
    this.#sentAt = this.#deps.clock.now();
    this.#send(this.#words);
    this.#cancel = this.#deps.clock.after(AGAIN_MS, () => this.#show());
  }

  #send(words: string): void {
    this.#sending = this.#after(this.#sending, words);
    this.#deps.platform.keep(this.#sending);
  }

  async #after(before: Promise<void>, words: string): Promise<void> {
    const { platform, log } = this.#deps;
    await before;
    try {
      await platform.showStatus?.(this.#thread, words);
    } catch (error) {
      // Nothing depends on it: an app without the pane has none.
      log.debug({ threadId: this.#thread.threadId, code: toAppError(error).code }, "status_not_shown");
    }
  }
}
