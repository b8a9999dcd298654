import { compactSession } from "../agent/compact-session.ts";
import { runQuery } from "../agent/query.ts";
import type { QueryConfig } from "../agent/query-config.ts";
import type { Query } from "../agent/query-input.ts";
import { registryWithin } from "../budget/budgeted-registry.ts";
import type { BudgetSettings } from "../budget/limits.ts";
import { planSection } from "../context/plan-section.ts";
import type { SkillCatalogue } from "../context/skills.ts";
import { buildSystemPrompt, type InstructionLayer } from "../context/system-prompt.ts";
import { TokenMeter } from "../context/token-estimate.ts";
import type { ApprovalRules } from "../permissions/deciders.ts";
import { assertNever } from "../protocol/assert-never.ts";
import { toAppError } from "../protocol/errors.ts";
import type { QueryEnd, QueryOutcome, RunStats } from "../protocol/events.ts";
import { withRef } from "../protocol/explain.ts";
import type { Log } from "../protocol/log.ts";
import type { Author, Message } from "../protocol/messages.ts";
import { type Plan, stepsInHand } from "../protocol/plan.ts";
import type { ChatPlatform, PlatformName } from "../protocol/platform.ts";
import type { Runtime } from "../protocol/runtime.ts";
import { NO_USAGE } from "../protocol/usage.ts";
import type { ProviderRegistry } from "../providers/provider.ts";
import { isStoreFailure } from "../store/failure.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import type { Tool } from "../tool.ts";
import { type ApprovalDeskOptions, createApprovalDesk, withdrawApprovals } from "./approvals.ts";
import { CancelSignal, type SessionEngine, type SessionHandler, type TurnContext, type Wake } from "./engine.ts";
import { budgetsFor, placeFor } from "./job-event.ts";
import { createLocalCommands, localAnswer, type RunLocalCommand, showOutputs } from "./local-command.ts";
import { postKey } from "./post-once.ts";
import { withdrawQuestions } from "./questions.ts";
import { messagesOf, type RunInputOptions } from "./run-input.ts";
import { changedFiles, createRunJournal, type RunAccount } from "./run-journal.ts";
import { skillsOfRun } from "./run-skills.ts";
import type { OpenRunView, RunView } from "./run-view.ts";
import type { SessionEventBody } from "./session-event.ts";
import { createToolThread } from "./tool-thread.ts";

/** What configuration says of the place a session is in. */
export interface SessionPlace {
  readonly config: QueryConfig;
  /** Absolute path; it exists. */
  readonly sandboxRoot: string;
  readonly allowedHosts: readonly string[];
  readonly blockedUrls: readonly string[];
  /** As the model reads it. */
  readonly place: { readonly platform: string; readonly channel: string };
}

export interface RunnerOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly registry: ProviderRegistry;
  /** What may be spent; a channel's `maxBudgetUsd` wins over the limit of a run given here. */
  readonly budgets: BudgetSettings;
  /** Who decides what asks first. */
  readonly approvals: ApprovalRules;
  readonly engine: Pick<SessionEngine, "deliverAt">;
  /** Those that there are now. */
  readonly tools: () => readonly Tool[];
  readonly platform: (name: PlatformName) => ChatPlatform;
  /** By the platform and the event that began the run. */
  readonly openView: (name: PlatformName, body: SessionEventBody) => OpenRunView;
  readonly placeOf: (session: SessionRow) => Promise<SessionPlace>;
  /** What instruction files say there, the most general first. */
  readonly instructionsOf: (sandboxRoot: string) => readonly InstructionLayer[];
  /** The skills that hold there. */
  readonly skillsOf: (sandboxRoot: string) => SkillCatalogue;
  /** Keeps an attachment beneath the sandbox root; answers its relative path, or null when it cannot. */
  readonly saveAttachment: (sandboxRoot: string, name: string, data: Uint8Array) => Promise<string | null>;
}

/** Takes a session from an event, or from where a crash cut it, to the end of its run. */
export function createSessionRunner(options: RunnerOptions): SessionHandler {
  return new SessionRunner(options);
}

const NOT_DONE = { found: false, value: undefined };

/** One run while it goes on. */
interface LiveRun {
  readonly session: SessionRow;
  readonly wake: Wake;
  readonly context: TurnContext;
  readonly view: RunView;
}

class SessionRunner implements SessionHandler {
  readonly #options: RunnerOptions;
  readonly #meter = new TokenMeter();
  /** Views of runs that wait for a place: the run goes on with the message they have posted. */
  readonly #queued = new Map<string, { view: RunView; context: TurnContext }>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  async queued(wake: Wake, context: TurnContext, before: number): Promise<void> {
    const known = this.#queued.get(wake.runId);
    const view = known?.view ?? (await this.#openView(await this.#sessionOf(wake), wake, context));
    if (known === undefined) this.#queued.set(wake.runId, { view, context });
    view.show({ type: "queued", before });
  }

  async run(wake: Wake, context: TurnContext): Promise<"ended" | "parked"> {
    const session = await this.#sessionOf(wake);
    const waiting = this.#queued.get(wake.runId);
    this.#queued.delete(wake.runId);
    if (waiting !== undefined) await waiting.view.suspend();
    const view = await this.#openView(session, wake, context);
    const run: LiveRun = { session, wake, context, view };
    try {
      const outcome = await this.#outcome(run);
      if (outcome.type === "parked") {
        await view.park();
        return "parked";
      }
      await this.#withdraw(run, outcome.type === "cancelled" ? outcome.by : null);
      await view.finish(outcome, await this.#stats(wake.runId));
      await this.#end(run, outcome);
      return "ended";
    } catch (error) {
      await view.suspend();
      throw error;
    }
  }

  /** Nobody need decide or answer any more. */
  async #withdraw(run: LiveRun, by: string | null): Promise<void> {
    const { store, log, platform } = this.#options;
    const { session, wake } = run;
    await withdrawApprovals(this.#desk(run), by);
    const ended = { id: wake.runId, sessionId: session.id };
    await withdrawQuestions({ store, log, platform: platform(session.thread.platform), run: ended }, by);
  }

  #sessionOf({ sessionId }: Wake): Promise<SessionRow> {
    return this.#options.store.sessions.get(sessionId);
  }

  async #openView(session: SessionRow, { runId, event, resumed }: Wake, context: TurnContext): Promise<RunView> {
    const { store, openView } = this.#options;
    // A run that begins with this wake has posted nothing yet.
    const [run, live] = resumed
      ? await Promise.all([store.runs.get(runId), store.posts.get(postKey(runId, "live"))])
      : [];
    return openView(
      session.thread.platform,
      event.body,
    )({
      runId,
      thread: session.thread,
      agentName: session.agent,
      startedAt: run?.startedAt ?? this.#options.runtime.clock.now(),
      isLive: (live ?? null) !== null,
      triggerMessageId: event.body.kind === "message" ? event.body.messageId : null,
      askedBy: event.body.kind === "message" ? event.body.author.id : null,
      closes: ({ files: _files, ...last }) => store.transaction((tx) => tx.posts.closes(postKey(runId, "live"), last)),
      closed: () => store.transaction((tx) => tx.posts.closed(postKey(runId, "live"))),
      post: (key, message, thread) => context.post(key, message, thread),
    });
  }

  /** How the run ends. Throws what leaves it open: suspension, lost ownership, a store that fails. */
  async #outcome(run: LiveRun): Promise<QueryEnd> {
    const { context, wake } = run;
    try {
      const place = placeFor(wake.event.body, await this.#options.placeOf(run.session));
      const isCompaction = wake.event.body.kind === "compact";
      const plan = await this.#options.store.plans.of(run.session.id);
      const { query, input } = this.#query(run, place, plan);
      // What people send meanwhile begins a run of its own.
      const answer = isCompaction ? null : await this.#takeInput(run, input);
      if (answer !== null) return this.#saidLocally(answer, context.signal);
      const steps = stepsInHand(plan);
      if (steps !== null) run.view.show({ type: "plan", steps });
      const loop = (isCompaction ? compactSession : runQuery)(query, context.signal);
      for (let next = await loop.next(); ; next = await loop.next()) {
        if (next.done) return next.value;
        run.view.show(next.value);
      }
    } catch (error) {
      if (context.signal.reason instanceof CancelSignal) return { type: "cancelled", by: context.signal.reason.by };
      if (context.signal.aborted || isStoreFailure(error)) throw error;
      const failure = withRef(toAppError(error), this.#options.runtime.random);
      this.#options.log.error({ err: error, ref: failure.detail["ref"], runId: wake.runId }, "run_failed");
      return { type: "error", error: failure };
    }
  }

  /**
   * Brings the event that began the run into the history, with what waits beside it, in order of arrival. Answers what the
   * run's answer is when nothing but shell commands came; null when the model is to answer.
   */
  async #takeInput({ session, wake, context }: LiveRun, input: RunInputOptions): Promise<string | null> {
    const { store } = this.#options;
    const done = wake.resumed ? await store.journal.get(wake.runId, "input") : NOT_DONE;
    if (done.found) return typeof done.value === "string" ? done.value : null;
    const waiting = await context.takeInbox("input:inbox");
    const events = [wake.event, ...waiting].toSorted((a, b) => a.seq - b.seq);
    const taken = await Promise.all(
      events.map(async (event) => ({ seq: event.seq, messages: await messagesOf(event, input) })),
    );
    const answer = localAnswer(taken);
    if (answer === null) await showOutputs(taken, { context, maxChars: input.platform.limits.messageChars });
    await context.transaction("input", async (tx) => {
      for (const message of taken.flatMap(({ messages }) => messages))
        await tx.messages.append(session.id, wake.runId, message);
      return answer;
    });
    return answer;
  }

  /** The run of commands that people typed: what they printed is the answer, unless somebody has stopped them. */
  #saidLocally(text: string, signal: AbortSignal): QueryOutcome {
    signal.throwIfAborted();
    const { ids, clock } = this.#options.runtime;
    const content = [{ type: "text", text } as const];
    const message: Message = { id: ids.next("msg"), role: "assistant", content, createdAt: clock.now() };
    return { type: "end_turn", message, usage: NO_USAGE };
  }

  #inputOptions(run: LiveRun, sandboxRoot: string, runCommand: RunLocalCommand): RunInputOptions {
    const { platform, runtime, saveAttachment } = this.#options;
    return {
      platform: platform(run.session.thread.platform),
      ids: runtime.ids,
      signal: run.context.signal,
      saveAttachment: (name, data) => saveAttachment(sandboxRoot, name, data),
      skills: () => this.#options.skillsOf(sandboxRoot),
      notice: (text) => run.view.show({ type: "status", text }),
      runCommand,
    };
  }

  #query(
    run: LiveRun,
    { config, sandboxRoot, allowedHosts, blockedUrls, place }: SessionPlace,
    plan: Plan | null,
  ): { readonly query: Query; readonly input: RunInputOptions } {
    const { store, runtime, log, tools, platform } = this.#options;
    const { session, wake, context, view } = run;
    const author = authorOf(wake.event.body);
    const show = view.show.bind(view);
    const runCommand: RunLocalCommand = (command, seq) => localCommands(command, seq);
    const input = this.#inputOptions(run, sandboxRoot, runCommand);
    const { messageChars: maxChars } = input.platform.limits;
    const account = { personId: author.id, channelId: session.channelKey };
    const instructions = this.#options.instructionsOf(sandboxRoot);
    const skills = skillsOfRun(this.#options.skillsOf(sandboxRoot), {
      body: wake.event.body,
      settings: session.settings,
    });
    const query: Query = {
      sessionId: session.id,
      runId: wake.runId,
      channelKey: session.channelKey,
      person: author.name,
      config: skills.narrowed(config),
      registry: this.#registry(run, account, config),
      tools: tools(),
      system: buildSystemPrompt({
        config,
        place,
        instructions,
        skills: skills.index,
        active: [planSection(plan), skills.active],
      }),
      journal: createRunJournal({
        store,
        context,
        clock: runtime.clock,
        run: { id: wake.runId, sessionId: session.id },
        account,
        toMessages: async (event) => {
          const messages = await messagesOf(event, input);
          await showOutputs([{ seq: event.seq, messages }], { context, maxChars });
          return messages;
        },
      }),
      thread: createToolThread({ thread: session.thread, platform: platform(session.thread.platform), context }),
      approvals: createApprovalDesk(this.#desk(run)),
      meter: this.#meter,
      runtime,
      log,
      sandboxRoot,
      allowedHosts,
      blockedUrls,
      nonInteractive: wake.event.body.kind === "job",
      cacheKey: session.channelKey,
      plan: () => store.plans.of(session.id),
    };
    const localCommands = createLocalCommands({ store, context, query, show });
    return { query, input };
  }

  #desk({ session, wake, context }: LiveRun): ApprovalDeskOptions {
    const { store, engine, runtime, log, platform, approvals } = this.#options;
    return {
      store,
      engine,
      clock: runtime.clock,
      log,
      platform: platform(session.thread.platform),
      rules: approvals,
      session,
      context,
      requester: authorOf(wake.event.body),
    };
  }

  /** The models within what the run may spend. */
  #registry({ session, wake, context }: LiveRun, account: RunAccount, config: QueryConfig): ProviderRegistry {
    const { store, runtime, log, registry, budgets } = this.#options;
    const runUsd = config.maxBudgetUsd === undefined ? {} : { runUsd: config.maxBudgetUsd };
    return registryWithin(
      {
        store,
        runtime,
        log,
        settings: { ...budgetsFor(wake.event.body, budgets), ...runUsd },
        account: { runId: wake.runId, sessionId: session.id, ...account, isJob: wake.event.body.kind === "job" },
        epoch: context.epoch,
      },
      registry,
    );
  }

  async #stats(runId: string): Promise<RunStats> {
    const { store, runtime } = this.#options;
    const [run, spent, calls] = await Promise.all([
      store.runs.get(runId),
      store.usage.ofRun(runId),
      store.toolCalls.ofRun(runId),
    ]);
    const ended = calls.filter((call) => call.status === "ended");
    return {
      turns: spent.turns,
      tools: ended.length,
      durationMs: run === null ? 0 : runtime.clock.now() - run.startedAt,
      costUsd: spent.costUsd,
      changedFiles: changedFiles(ended.flatMap((call) => call.result?.files ?? [])),
    };
  }

  async #end({ wake, session, context }: LiveRun, outcome: QueryOutcome): Promise<void> {
    const { store, runtime, log } = this.#options;
    const at = runtime.clock.now();
    await store.transaction(async (tx) => {
      await tx.sessions.fence(session.id, context.epoch, at);
      if (outcome.type === "cancelled")
        await tx.messages.append(session.id, wake.runId, this.#stopNote(outcome.by, at));
      await tx.runs.end(wake.runId, outcome, at);
    });
    log.info({ runId: wake.runId, sessionId: session.id, outcome: outcome.type }, "run_ended");
  }

  /** Without it the next run would find the request unanswered, and carry it out after all. */
  #stopNote(by: string, at: number): Message {
    const text = `[Stopped by ${by}. What was asked until here is not to be gone on with unless someone asks for it again.]`;
    return {
      id: this.#options.runtime.ids.next("msg"),
      role: "user",
      content: [{ type: "text", text }],
      createdAt: at,
    };
  }
}

/** Whom a run is put down to. */
function authorOf(body: SessionEventBody): Author {
  switch (body.kind) {
    case "message":
    case "job":
      return body.author;
    case "compact":
      return body.by;
    case "timer":
    case "resume":
      return { id: "deckhand", name: "deckhand" };
    default:
      return assertNever(body);
  }
}
