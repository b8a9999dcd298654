import { compactSession } from "../agent/compact-session.ts";
import { runQuery } from "../agent/query.ts";
import type { Query } from "../agent/query-input.ts";
import type { RunState } from "../agent/run-state.ts";
import type { QueryConfig } from "../agents/query-config.ts";
import { withRunBudget } from "../budget/budgeted-registry.ts";
import { hasLimits } from "../budget/limits.ts";
import { planSection } from "../context/plan-section.ts";
import { buildSystemPrompt } from "../context/system-prompt.ts";
import { TokenMeter } from "../context/token-estimate.ts";
import type { SessionHandler, TurnContext, Wake } from "../engine/engine.ts";
import { createLocalCommands, type RunLocalCommand } from "../input/local-command.ts";
import type { RunInputOptions } from "../input/run-input.ts";
import { skillsOfRun } from "../input/run-skills.ts";
import { localCommandOutcome, takeInput, takeSteering } from "../input/take-input.ts";
import {
  type ApprovalServiceOptions,
  createApprovalService,
  withdrawApprovals,
} from "../people/approvals/approval-service.ts";
import { withdrawQuestions } from "../people/questions.ts";
import { authorOf } from "../people/run-people.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import { openRunView, type ViewedRun } from "../progress/open-run-view.ts";
import { plainStats, statsOfRun } from "../progress/run-stats.ts";
import type { RunView } from "../progress/run-view.ts";
import { causeText } from "../protocol/cancel-cause.ts";
import { isStoreFailure } from "../protocol/database-failure.ts";
import { toAppError } from "../protocol/errors.ts";
import type { QueryEnd, QueryOutcome } from "../protocol/events.ts";
import { withRef } from "../protocol/explain.ts";
import type { Message } from "../protocol/messages.ts";
import { activePlanSteps, type Plan } from "../protocol/plan.ts";
import { CancelSignal } from "../protocol/signals.ts";
import type { ProviderRegistry } from "../providers/provider.ts";
import type { ToolThread } from "../tool.ts";
import { awaitTools } from "./await-tools.ts";
import { endRun, hookedRun } from "./end-run.ts";
import { JobThreads, type RunPosts } from "./job-thread.ts";
import { ParkedViews } from "./parked-views.ts";
import { QueuedViews } from "./queued-views.ts";
import { budgetsOfRun, configAtStart, isUnattended, jobOf, taskTreeOfRun } from "./run-config.ts";
import { notesOf, withHookData } from "./run-hooks.ts";
import { createRunJournal, type RunAccount } from "./run-journal.ts";
import type { ChannelConfig, RunnerOptions } from "./runner-options.ts";
import { createToolThread } from "./tool-thread.ts";

interface LiveRun {
  readonly wake: Wake;
  readonly context: TurnContext;
  readonly view: RunView;
  /** The run's current state; null until its journal is loaded. */
  open: { readonly state: RunState } | null;
  /** Whether its model calls reserve budget. */
  isLimited: boolean;
}

/** Takes a session from an event, or from the step at which a crash interrupted it, to the end of its run. */
export class SessionRunner implements SessionHandler {
  readonly #options: RunnerOptions;
  readonly #meter = new TokenMeter();
  readonly #queued: QueuedViews;
  readonly #parked: ParkedViews;
  readonly #jobThreads = new JobThreads();

  constructor(options: RunnerOptions) {
    this.#options = options;
    const open = (wake: Wake, context: TurnContext) => this.#openView({ wake, context, isQueued: true });
    this.#queued = new QueuedViews(open, options.log);
    this.#parked = new ParkedViews(options.cluster.isShared ? options.store.sessions : null);
  }

  queued(wake: Wake, context: TurnContext, before: number): Promise<void> {
    return this.#queued.show(wake, context, before);
  }

  async run(wake: Wake, given: TurnContext): Promise<"ended" | "parked"> {
    const { context, deliverKept } = this.#postsOf(wake, given);
    await this.#queued.end(wake.runId);
    await this.#showRoot(wake, context);
    const view = await this.#openView({ wake, context, isQueued: false });
    const run: LiveRun = { wake, context, view, open: null, isLimited: true };
    try {
      const outcome = await this.#outcome(run);
      if (outcome.type === "parked") {
        await this.#parked.keep(wake, context.epoch, view);
        return "parked";
      }
      const state = wake.resumed ? null : (run.open?.state ?? null);
      const by = outcome.type === "cancelled" ? causeText(outcome.cause) : null;
      // A first wake that has asked people something parks unless it fails, so only other ends leave open cards.
      if (wake.resumed || by !== null || outcome.type === "error") await this.#withdraw(run, by);
      const isPlain = state?.callsAsked === 0 && state.toolsRun === 0;
      const stats = isPlain ? plainStats(wake, state, this.#options.runtime) : null;
      const figures = stats ?? (await statsOfRun(wake, outcome, this.#options));
      const notes = notesOf(wake.runId, { hooks: this.#options.hooks(), log: this.#options.log });
      await view.finish(outcome, { ...figures, notes });
      await deliverKept();
      await this.#end(run, outcome);
      return "ended";
    } catch (error) {
      await view.suspend();
      await this.#flush(run);
      throw error;
    }
  }

  /**
   * Writes pending journal entries of a run that stays open. If ownership or the database is lost, the failure is only
   * logged.
   */
  async #flush({ context, wake }: LiveRun): Promise<void> {
    try {
      await context.flush();
    } catch (error) {
      this.#options.log.warn({ err: error, runId: wake.runId }, "run_not_flushed");
    }
  }

  #postsOf(wake: Wake, context: TurnContext): RunPosts {
    const { store, platform, cluster, log } = this.#options;
    const { descriptor } = platform(wake.session.thread.platform);
    return this.#jobThreads.postsOf(wake, { store, context, log, platform: descriptor, lock: cluster.lock });
  }

  /** Withdraws open approvals and questions, which nobody needs to answer any more. */
  async #withdraw(run: LiveRun, by: string | null): Promise<void> {
    await withdrawApprovals(this.#approvals(run), by);
    await withdrawQuestions({ ...run.wake, store: this.#options.store, thread: this.#thread(run) }, by);
  }

  /**
   * Wakes the parked root run of a sub-agent after a restart. Its message shows sub-agents' progress only while its
   * view is open, and only a wake opens it.
   */
  async #showRoot({ session, resumed }: Wake, { epoch }: TurnContext): Promise<void> {
    const { id, task } = session;
    if (task === undefined || !resumed || this.#parked.has(task.root.runId)) return;
    const root = await this.#options.store.runs.get(task.root.runId);
    if (root?.status !== "parked") return;
    const event = { key: `child:${id}:shown:${epoch}`, body: { kind: "resume", of: "child" } } as const;
    await this.#options.engine.deliver(root.sessionId, event);
  }

  async #openView(viewed: ViewedRun): Promise<RunView> {
    await this.#parked.end(viewed.wake.runId);
    return openRunView(viewed, this.#options);
  }

  /**
   * Drives the run and returns its outcome. Throws what leaves the run open: a suspension, lost ownership, or a failing
   * store.
   */
  async #outcome(run: LiveRun): Promise<QueryEnd> {
    const { context, wake } = run;
    try {
      const place = await configAtStart(run, this.#options);
      const isCompaction = wake.event.body.kind === "compact";
      const plan = await this.#planOf(wake);
      const { query, input } = this.#query(run, place, plan);
      const { log } = this.#options;
      const data = { hooks: this.#options.hooks(), log, signal: context.signal };
      const { config, sandboxRoot } = place;
      const ask = (key: string, card: OutgoingMessage) => context.post(key, card);
      const complete = (messages: readonly Message[]) =>
        withHookData(messages, { ...hookedRun(wake), config, sandboxRoot, ask }, data);
      // A compaction leaves waiting messages to the next run.
      const answer = isCompaction ? null : await takeInput({ ...run, complete, store: this.#options.store }, input);
      if (answer !== null) return localCommandOutcome(answer, this.#options.runtime, context.signal);
      const steps = activePlanSteps(plan);
      if (steps !== null) run.view.show({ type: "plan", steps });
      const loop = (isCompaction ? compactSession : runQuery)(query, context.signal);
      for (let next = await loop.next(); ; next = await loop.next()) {
        if (next.done) return next.value;
        run.view.show(next.value);
      }
    } catch (error) {
      if (context.signal.reason instanceof CancelSignal)
        return { type: "cancelled", cause: context.signal.reason.cause };
      if (context.signal.aborted || isStoreFailure(error)) throw error;
      const failure = withRef(toAppError(error), this.#options.runtime.random);
      this.#options.log.error({ err: error, ref: failure.detail["ref"], runId: wake.runId }, "run_failed");
      return { type: "error", error: failure };
    }
  }

  /** The session's plan. A new session has none, while a sub-agent is bound to its parent's. */
  async #planOf({ session, isFirst }: Wake): Promise<Plan | null> {
    return isFirst && session.task === undefined ? null : this.#options.store.plans.of(session.id);
  }

  #inputOptions(run: LiveRun, sandboxRoot: string, runCommand: RunLocalCommand): RunInputOptions {
    const { session, event } = run.wake;
    const { id: personId } = authorOf(event.body);
    const place = { sandboxRoot, personId, channelKey: session.channelKey };
    const { platform, runtime, saveAttachment, readDocument } = this.#options;
    const { signal } = run.context;
    return {
      platform: platform(session.thread.platform),
      ids: runtime.ids,
      signal,
      saveAttachment: (name, data) => saveAttachment(place, name, data),
      readDocument: (data, chars) => readDocument(data, chars, { ...place, sessionId: session.id, signal }),
      skills: () => this.#options.skillsOf(sandboxRoot, session.channelKey),
      notice: (text) => run.view.show({ type: "status", text }),
      runCommand,
    };
  }

  #query(
    run: LiveRun,
    { config, sandboxRoot, above, allowedHosts, blockedUrls, sinks, place }: ChannelConfig,
    plan: Plan | null,
  ): { readonly query: Query; readonly input: RunInputOptions } {
    const { store, runtime, log, tools, approvals } = this.#options;
    const { wake, context, view } = run;
    const { session } = wake;
    const { id: personId, name: person } = authorOf(wake.event.body);
    const input = this.#inputOptions(run, sandboxRoot, (typed) => localCommands(typed));
    const account = { personId, channelId: session.channelKey };
    const skills = skillsOfRun(this.#options.skillsOf(sandboxRoot, session.channelKey), session.settings);
    const query: Query = {
      sessionId: session.id,
      runId: wake.runId,
      channelKey: session.channelKey,
      personId,
      person,
      config,
      registry: this.#registry(run, account, config),
      tools: tools(),
      whyMissing: this.#options.whyMissing,
      awaitTools: (names) => awaitTools(names, this.#options, context.signal),
      system: buildSystemPrompt({
        config,
        place,
        instructions: this.#options.instructionsOf({ sandboxRoot, above }, session.channelKey),
        skills: skills.index,
        tools: this.#options.sections(config),
        active: [planSection(plan), skills.active],
      }),
      journal: createRunJournal({
        store,
        context,
        runtime,
        run: { ...wake, id: wake.runId },
        isAnswered: wake.event.body.kind === "message",
        account,
        toMessages: (event) => takeSteering(event, context, input),
      }),
      thread: this.#thread(run),
      approvals: createApprovalService(this.#approvals(run)),
      meter: this.#meter,
      runtime,
      log,
      sandboxRoot,
      allowedHosts,
      blockedUrls,
      sinks,
      nonInteractive: isUnattended(wake.event.body),
      cacheKey: session.channelKey,
      plan: () => store.plans.of(session.id),
      opened: (open) => {
        run.open = open;
      },
    };
    const localCommands = createLocalCommands({ store, context, query, show: view.show.bind(view), approvals });
    return { query, input };
  }

  #thread({ wake, context }: LiveRun): ToolThread {
    const { platform, finaliser } = this.#options;
    const { session } = wake;
    return createToolThread({ session, platform: platform(session.thread.platform), context, finaliser });
  }

  #approvals({ wake, context }: LiveRun): ApprovalServiceOptions {
    const { runtime, platform, approvals } = this.#options;
    const { session } = wake;
    return {
      ...this.#options,
      clock: runtime.clock,
      platform: platform(session.thread.platform),
      rules: approvals,
      session,
      context,
      isResumed: wake.resumed,
    };
  }

  #registry(run: LiveRun, account: RunAccount, config: QueryConfig): ProviderRegistry {
    const { store, runtime, registry, budgets } = this.#options;
    const { session, event, runId } = run.wake;
    const { body } = event;
    const root = session.task === undefined ? {} : { root: session.task.root };
    const settings = budgetsOfRun(body, budgets, config);
    run.isLimited = hasLimits(settings);
    const work = { runId, sessionId: session.id, taskTree: taskTreeOfRun(body, runId), isJob: jobOf(body) !== null };
    const { epoch } = run.context;
    return withRunBudget({ store, runtime, settings, account: { ...work, ...account, ...root }, epoch }, registry);
  }

  #end({ wake, context, isLimited }: LiveRun, outcome: QueryOutcome): Promise<void> {
    const mayHoldReservation = wake.resumed || isLimited;
    return endRun({ wake, context, mayHoldReservation }, outcome, { ...this.#options, hooks: this.#options.hooks() });
  }
}
