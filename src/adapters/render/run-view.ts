import { messageIdOf } from "../../core/events/event-key.ts";
import { feedbackButtons } from "../../core/people/feedback.ts";
import { forbidsFiles } from "../../core/people/interaction.ts";
import type { OutgoingMessage, PostedMessage } from "../../core/platform/outgoing.ts";
import type { OpenRunView, RunView, RunViewOptions } from "../../core/progress/run-view.ts";
import { UNWRITABLE_THREAD_ERRORS } from "../../core/protocol/error-groups.ts";
import { type AppError, toAppError } from "../../core/protocol/errors.ts";
import type { QueryEvent, QueryOutcome, RunStats } from "../../core/protocol/events.ts";
import { explain, reasonOf } from "../../core/protocol/explain.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { lineText } from "../../core/protocol/shown.ts";
import { waitAtMost } from "../../core/wait-at-most.ts";
import { answerFile, answerParts } from "./answer-parts.ts";
import { detailsButton, type Ending, endingButtons, endingOf, foldLine, runEnd } from "./outcome-text.ts";
import type { PacedPlatform } from "./pacing/paced-platform.ts";
import { LiveMessage } from "./progress/live-message.ts";
import { NO_PROGRESS, type ProgressState, reduceProgress } from "./progress/progress-state.ts";
import { isHandedOver, noticeLines, renderProgress } from "./progress/progress-view.ts";
import type { TaskBoard, TaskFollower } from "./progress/task-board.ts";
import { isAtWork } from "./progress/task-lines.ts";

/** Delay before the live message is posted. A run that ends earlier posts only its answer. */
const FIRST_SIGN_MS = 500;
/** Interval at which the elapsed time advances while nothing else happens. */
const TICK_MS = 5_000;
/** How long an ending waits for the live message to be posted. */
const OPENING_WAIT_MS = 1_500;
/** Maximum number of attempts at the edit that says that a run is parked. */
const PARK_ATTEMPTS = 8;
/** Posted if the platform refuses the form of an answer. */
const ANSWER_REFUSED = "I couldn't post my answer as a message.";
/** How long the end of a run waits for its fold, which otherwise finishes in the background. */
const FOLD_WAIT_MS = 250;

export interface RunViewDeps {
  readonly platform: PacedPlatform;
  readonly clock: Clock;
  readonly log: Log;
  readonly board: TaskBoard;
}

/** Shows each run as one live message that is edited while it works, and posts its ending as separate messages. */
export function createRunViews(deps: RunViewDeps): OpenRunView {
  return (options) => new ThreadRunView(deps, options);
}

class ThreadRunView implements RunView {
  readonly #deps: RunViewDeps;
  readonly #run: RunViewOptions;
  readonly #closing = new AbortController();
  readonly #following: TaskFollower;
  #state: ProgressState;
  #live: LiveMessage | undefined;
  /** The attempt to post the live message; never rejects. */
  #opening: Promise<void> | undefined;
  #reactions: Promise<void> = Promise.resolve();
  #cancelTimer: () => void;
  #isParked = false;

  constructor(deps: RunViewDeps, run: RunViewOptions) {
    this.#deps = deps;
    this.#run = run;
    this.#following = deps.board.follow(run.runId, (task) => this.show({ type: "task", task }));
    const notices = run.noticesBefore.map((text) => ({ type: "status", text }) as const);
    const tasks = [...run.tasks, ...this.#following.tasks].map((task) => ({ type: "task", task }) as const);
    this.#state = [...notices, ...tasks].reduce(reduceProgress, { ...NO_PROGRESS, earlierSteps: run.toolsBefore });
    this.#cancelTimer = deps.clock.after(FIRST_SIGN_MS, () => this.#open());
    if (run.isLive) this.#open();
  }

  show(event: QueryEvent): void {
    if (this.#closing.signal.aborted) return;
    this.#state = reduceProgress(this.#state, event);
    if (event.type === "tool_start" || event.type === "status") this.#open();
    if (event.type === "steered") for (const key of event.eventKeys) this.#react(messageIdOf(key), "seen");
    this.#live?.touch();
  }

  async finish(outcome: QueryOutcome, stats: RunStats): Promise<void> {
    await this.#close();
    const last = this.#folded(outcome, stats);
    if (this.#opening !== undefined) await this.#run.closes(last);
    const fold = () => this.#fold(last);
    // A stop is shown by the live message itself, at once; an answer is posted as a message, and the fold follows.
    const saidByFold = outcome.type === "cancelled" && this.#live !== undefined && (await fold());
    if (!saidByFold && !this.#isUnseen(outcome, stats)) await this.#postEnding(this.#ending(outcome, stats));
    if (!saidByFold) await this.#waitBriefly(fold());
    await this.#waitBriefly(this.#reactions);
  }

  /** A deletion before anything was seen or done ends silently, so that no thread is opened on the deleted message. */
  #isUnseen(outcome: QueryOutcome, { tools }: RunStats): boolean {
    return outcome.type === "cancelled" && outcome.cause.by === "deletion" && this.#live === undefined && tools === 0;
  }

  /** The ending, preceded by the notices if there is no live message to show them. */
  #ending(outcome: QueryOutcome, stats: RunStats): Ending {
    const { runId, thread } = this.#run;
    const isDirect = this.#deps.platform.descriptor.isDirect(thread);
    const ending = { ...endingOf(runEnd(outcome, stats, { isDirect })), buttons: endingButtons(outcome, runId) };
    const notices = this.#live === undefined ? noticeLines(this.#state) : [];
    return notices.length === 0 ? ending : { ...ending, markdown: `${notices.join("\n")}\n\n${ending.markdown}` };
  }

  /** Shows the final state in the live message, even in one that this view never followed. True if that succeeded. */
  async #fold(last: OutgoingMessage): Promise<boolean> {
    if (this.#opening === undefined) return false;
    await this.#opening;
    await this.#live?.stop();
    return this.#run.finalise(last);
  }

  /** Waits only briefly, since a fold is slow while edits are in demand and must not delay the thread's next run. */
  async #waitBriefly(work: Promise<unknown>): Promise<void> {
    this.#deps.platform.keep(work);
    await waitAtMost(FOLD_WAIT_MS, work, this.#deps.clock);
  }

  async park(): Promise<void> {
    this.#isParked = true;
    if (this.#state.tasks.some(isAtWork) || isHandedOver(this.#state)) {
      this.#open();
      this.#cancelTimer();
      this.#live?.touch();
      return;
    }
    await this.#close();
    const last = this.#message("progress");
    await this.#waitBriefly(this.#live?.finish(last, PARK_ATTEMPTS) ?? Promise.resolve());
    await this.#waitBriefly(this.#reactions);
  }

  async suspend(): Promise<void> {
    await this.#close();
    await this.#live?.stop();
    await this.#waitBriefly(this.#reactions);
  }

  /**
   * Stops timers and waits. Waits a moment for the live message to be posted, so that it appears above the answer; a
   * slow platform does not delay the answer further.
   */
  async #close(): Promise<void> {
    this.#cancelTimer();
    this.#following.stop();
    this.#closing.abort();
    if (this.#opening !== undefined) await waitAtMost(OPENING_WAIT_MS, this.#opening, this.#deps.clock);
  }

  /** Posts the live message, once. If the rate limit forbids a post now, a reaction appears first. */
  #open(): void {
    this.#opening ??= this.#openLive();
  }

  async #openLive(): Promise<void> {
    this.#cancelTimer();
    const { platform, log } = this.#deps;
    const { thread, triggerMessageId, isLive } = this.#run;
    try {
      // A live message that was begun before usually exists already.
      if (!isLive && !platform.canPostFirst(thread)) {
        if (triggerMessageId !== null) this.#react(triggerMessageId, "working");
        await platform.reserveFirst(thread, this.#closing.signal);
        if (this.#closing.signal.aborted) {
          platform.releaseFirst(thread);
          return;
        }
      }
      const first = this.#message("first");
      const posted = await this.#run.post("live", first);
      this.#live = this.#follow(posted, isLive ? null : first);
      if (this.#state.parkedOn === null) this.#tick();
      else this.#live.touch();
    } catch (error) {
      // The run is answered even without a live message, and closing is not a failure.
      if (this.#closing.signal.aborted) return;
      const { code, message } = toAppError(error);
      log.warn({ runId: this.#run.runId, code, message }, "live_message_not_posted");
    }
  }

  #follow(posted: PostedMessage, shown: OutgoingMessage | null): LiveMessage {
    const { platform, clock, log } = this.#deps;
    const { thread } = this.#run;
    const edit = async (latest: () => OutgoingMessage, signal: AbortSignal): Promise<void> => {
      let isSent = false;
      const isWanted = async () => (isSent = await this.#isOurs());
      await platform.editLatest(posted, latest, { thread, signal, isWanted });
      // Another process may have ended the run while the edit was on its way.
      if (isSent && !(await this.#isOurs())) await this.#run.repeatFinal();
    };
    return new LiveMessage(shown, {
      render: () => this.#message("progress"),
      edit,
      clock,
      log: log.child({ runId: this.#run.runId }),
    });
  }

  /** Whether this process still shows the run. A parked run may continue in another process. */
  async #isOurs(): Promise<boolean> {
    return !this.#isParked || this.#run.isOurs === undefined || this.#run.isOurs();
  }

  #tick(): void {
    if (this.#closing.signal.aborted) return;
    this.#live?.touch();
    this.#cancelTimer = this.#deps.clock.after(TICK_MS, () => this.#tick());
  }

  #message(lane: "first" | "progress"): OutgoingMessage {
    const { platform, clock } = this.#deps;
    const { agentName, startedAt, runId } = this.#run;
    const { editChars: maxChars, showsTables } = platform.descriptor.limits;
    const frame = { agentName, elapsedMs: clock.now() - startedAt, maxChars, showsTables: showsTables !== false };
    return {
      lane,
      ...renderProgress(this.#state, frame),
      tone: "plain",
      buttons: [{ id: `stop:${runId}`, label: "Stop", style: "danger" }],
      files: [],
    };
  }

  #folded(outcome: QueryOutcome, stats: RunStats): OutgoingMessage {
    const notices = noticeLines(this.#state);
    const fold = foldLine(outcome, stats);
    const markdown = [...notices, lineText(fold)].join("\n");
    const lane = outcome.type === "cancelled" ? "answer" : "progress";
    const buttons = [detailsButton(this.#run.runId), ...feedbackButtons(this.#run.runId)];
    const isFigures = notices.length === 0 && fold.state !== "stopped";
    const shows = { type: "end", state: fold.state, head: fold.text, isFigures } as const;
    return { lane, markdown, tone: "plain", buttons, files: [], shows };
  }

  /**
   * Posts the ending in the thread, without a file if files are forbidden, or only to the person if it cannot be
   * written to.
   */
  async #postEnding(ending: Ending): Promise<void> {
    const { limits } = this.#deps.platform.descriptor;
    const parts = answerParts(ending, limits);
    const refused = await this.#postParts("answer", parts);
    if (refused === null) return;
    if (refused.code === "defect") return this.#postOtherwise(ending, refused);
    const without = (footer: string) => answerParts({ ...ending, footer }, { ...limits, answerParts: Infinity });
    const closed = forbidsFiles(refused, parts) ? await this.#postParts("whole", without(explain(refused))) : refused;
    if (closed !== null) await this.#answerPrivately(closed, without(ending.footer ?? ""));
  }

  /** Handles a platform that refuses the answer in this form: posts it as a file, or else at least says so. */
  async #postOtherwise({ markdown, footer = "", buttons = [] }: Ending, refused: AppError): Promise<void> {
    const { runId } = this.#run;
    this.#deps.log.error({ runId, err: refused }, "answer_refused");
    const files = [answerFile([markdown, footer].join("\n\n").trim())];
    const base = {
      lane: "answer",
      tone: "error",
      markdown: `✗ ${ANSWER_REFUSED} ${reasonOf(refused)}`,
      buttons,
      files: [],
    } as const;
    const inFile = { ...base, tone: "plain", markdown: `⚠ ${ANSWER_REFUSED} It is in the file.`, files } as const;
    const forms = Object.entries({ file: inFile, word: base, bare: { ...base, buttons: [] } });
    for (const [key, form] of forms) if ((await this.#postParts(key, [form])) === null) return;
    throw refused;
  }

  /** Posts the parts. Returns the error if the thread cannot take them, and rejects with an error that may pass. */
  async #postParts(key: string, parts: readonly OutgoingMessage[]): Promise<AppError | null> {
    try {
      for (const [index, part] of parts.entries()) await this.#run.post(`${key}:${index}`, part);
      return null;
    } catch (error) {
      const failure = toAppError(error);
      if (UNWRITABLE_THREAD_ERRORS.has(failure.code) || failure.code === "defect") return failure;
      throw failure;
    }
  }

  /**
   * Sends the answer only to the person who asked, because the thread is gone or closed to the bot. If that fails,
   * rejects with the original failure, so that the run stays open until an operator fixes the cause. If the person
   * cannot be reached at all, the answer stays in the store.
   */
  async #answerPrivately(failure: AppError, parts: readonly OutgoingMessage[]): Promise<void> {
    const { platform, log } = this.#deps;
    const { askedBy, runId, thread } = this.#run;
    const { code, message, detail } = failure;
    log.error({ runId, code, message, ...detail }, "answer_undeliverable");
    if (askedBy === null) return;
    try {
      const place = code === "thread_gone" ? { ...thread, threadId: null } : thread;
      for (const part of [explanation(failure), ...parts]) {
        // Buttons are removed, since their effects would appear in the thread, which cannot be written to.
        await platform.postEphemeral(place, askedBy, { ...part, buttons: [] });
      }
    } catch (error) {
      const { code: privateCode, message: reason } = toAppError(error);
      log.error({ runId, code: privateCode, message: reason, askedBy }, "answer_undeliverable_privately");
      if (privateCode !== "thread_gone") throw failure;
    }
  }

  /** Adds a reaction. A failure is only logged; one still waiting for its turn is dropped when the run ends. */
  #react(messageId: string, sign: "seen" | "working"): void {
    const { platform, log } = this.#deps;
    const { signal } = this.#closing;
    const put = async () => {
      try {
        await platform.putSign(this.#run.thread, { messageId, sign, signal });
      } catch (error) {
        if (signal.aborted && error === signal.reason) return;
        const { code, detail } = toAppError(error);
        log.warn({ runId: this.#run.runId, code, ...detail }, "reaction_failed");
      }
    };
    this.#reactions = Promise.all([this.#reactions, put()]).then(() => undefined);
  }
}

function explanation(failure: AppError): OutgoingMessage {
  const markdown = `${explain(failure)} So only you can see my answer:`;
  return { lane: "answer", markdown, tone: "error", buttons: [], files: [] };
}
