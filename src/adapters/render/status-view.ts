import type { Lane } from "../../core/platform/outgoing.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import type { OpenRunView } from "../../core/progress/run-view.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { QueryEvent } from "../../core/protocol/events.ts";
import type { RunViewDeps } from "./run-view.ts";
import { observeView } from "./view-observer.ts";

type Scope = Pick<RunViewDeps, "platform" | "clock" | "log">;

/**
 * Renews a status, which vanishes after two minutes or a post. Source: Slack docs, assistant.threads.setStatus. In ms.
 */
const AGAIN_MS = 60_000;
/** Minimum time between status changes for tool calls. In milliseconds. */
const MIN_MS = 3_000;

/** Adds a status line beside the thread to the run's view, on platforms that have one. */
export function withStatus(open: OpenRunView, deps: Scope): OpenRunView {
  if (deps.platform.showLatestStatus === undefined) return open;
  return (run) => {
    const view = open(run);
    const status = new StatusLine(run.thread, deps);
    const show = (event: QueryEvent): void => {
      status.note(event);
      view.show(event);
    };
    return observeView(view, show, () => status.end());
  };
}

class StatusLine {
  readonly #thread: ThreadRef;
  readonly #deps: Scope;
  /** Text of the status; empty once the run has ended. */
  #words = "is working…";
  /** Whether there is a text that has not been sent yet. */
  #isDue = false;
  /** Whether a request is in flight. Only one is at a time, so that the last text wins. */
  #isSending = false;
  #isShown = false;
  #lane: Lane = "first";
  #sentAt = 0;
  #cancel: () => void = () => {};
  #hasEnded = false;
  /** Aborted if the run ends before its status was sent, because then there is nothing to remove. */
  readonly #unneeded = new AbortController();

  constructor(thread: ThreadRef, deps: Scope) {
    this.#thread = thread;
    this.#deps = deps;
    this.#show();
  }

  note(event: QueryEvent): void {
    if (event.type !== "tool_start" || this.#hasEnded) return;
    this.#words = `is using ${event.toolName}…`;
    if (this.#deps.clock.now() - this.#sentAt >= MIN_MS) this.#show();
  }

  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#cancel();
    this.#words = "";
    if (this.#isShown) this.#send();
    else this.#unneeded.abort();
  }

  #show(): void {
    this.#cancel();
    this.#sentAt = this.#deps.clock.now();
    this.#send();
    this.#cancel = this.#deps.clock.after(AGAIN_MS, () => this.#show());
  }

  #send(): void {
    this.#isDue = true;
    if (!this.#isSending) this.#deps.platform.keep(this.#sendAll());
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#isDue) await this.#sendLatest();
    this.#isSending = false;
  }

  /** Never rejects. */
  async #sendLatest(): Promise<void> {
    const { platform, log } = this.#deps;
    let isTaken = false;
    const latest = () => {
      isTaken = true;
      this.#isDue = false;
      const words = this.#words === "" && !this.#isShown ? null : this.#words;
      this.#isShown = this.#words !== "";
      return words;
    };
    try {
      await platform.showLatestStatus?.(this.#thread, latest, { lane: this.#lane, signal: this.#unneeded.signal });
      this.#lane = "progress";
    } catch (error) {
      if (!isTaken) this.#isDue = false;
      if (this.#unneeded.signal.aborted) return;
      // Nothing depends on the status; an app without the assistant pane has none.
      log.debug({ threadId: this.#thread.threadId, code: toAppError(error).code }, "status_not_shown");
    }
  }
}
