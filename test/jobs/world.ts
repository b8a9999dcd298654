import path from "node:path";
import { onTestFinished } from "vitest";
import { jobReports } from "../../src/adapters/render/job-view.ts";
import { pacePlatform } from "../../src/adapters/render/pacing/paced-platform.ts";
import { createModelChoice } from "../../src/core/budget/model-choice.ts";
import { EmbeddedEngine } from "../../src/core/embedded-engine/embedded-engine.ts";
import { type SessionHandler, type TurnContext, type Wake } from "../../src/core/engine/engine.ts";
import type { ChildEnd, ChildEvent } from "../../src/core/events/child-event.ts";
import { childIdOf } from "../../src/core/events/child-task.ts";
import type { JobEvent } from "../../src/core/events/job-event.ts";
import type { JobInput, JobRequest } from "../../src/core/jobs/job-control.ts";
import type { AccessRules } from "../../src/core/permissions/access.ts";
import { type MembershipOf, membershipOn } from "../../src/core/permissions/channel-access.ts";
import type { MemberOf } from "../../src/core/permissions/members.ts";
import type { ThreadRef } from "../../src/core/platform/thread.ts";
import type { RunViewOptions } from "../../src/core/progress/run-view.ts";
import { AppError, ProviderError } from "../../src/core/protocol/errors.ts";
import type { QueryOutcome } from "../../src/core/protocol/events.ts";
import type { Runtime } from "../../src/core/protocol/runtime.ts";
import { CancelSignal } from "../../src/core/protocol/signals.ts";
import { createProviderRegistry } from "../../src/core/providers/registry/registry.ts";
import { JobThreads } from "../../src/core/run/job-thread.ts";
import { type Skill, skillCatalogue } from "../../src/core/skills/skills.ts";
import type { OccurrenceRow } from "../../src/core/store/job-occurrences.ts";
import { openStore, type Store, type StoreTransaction } from "../../src/core/store/store.ts";
import { beginChild, endChild } from "../../src/core/subagents/children.ts";
import { createJobsFile } from "../../src/features/jobs-file/jobs-file.ts";
import { createJobs, type Jobs } from "../../src/jobs/jobs.ts";
import { onlyProcess } from "../../src/ownership/only-process.ts";
import { PLATFORMS } from "../../src/platforms.ts";
import { type MemoryPlatform, memoryPlatform } from "../adapters/render/memory-platform.ts";
import { emptyStore } from "../support/database/emptied-databases.ts";
import { type Life, mortalStore } from "../support/database/mortal-store.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { countingIds, seededRandom } from "../support/runtime.ts";
import { sharedLock } from "../support/shared-lock.ts";
import { silentLog } from "../support/silent-log.ts";
import { skillNamed } from "../support/skill-file.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { clockTicker } from "./clock-ticker.ts";
import { faulty, remembering, tracked } from "./world-store.ts";

/** Work that continues after a job's run. */
type Later = ChildEvent | ChildEnd;

interface LiveParts {
  readonly store: Store;
  readonly engine: EmbeddedEngine;
}

type LaterDeps = LiveParts & Pick<TurnContext, "signal">;

/** What a run does. */
export interface Play {
  readonly takesMs?: number;
  readonly says?: string;
  /** If true, the run then parks. */
  readonly parks?: boolean;
  readonly fails?: "overloaded" | "auth";
  /** If true, the run begins a sub-agent in the background. */
  readonly leaves?: boolean;
  /** Called once the run has taken its time. */
  readonly ends?: () => void;
}

export const CHANNEL: ThreadRef = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: null };
export const ANA = { id: "slack:U1", name: "ana", roles: [] };

/** The jobs on virtual time, with a real store and engine, a platform in memory, and runs that the test plays. */
export interface World {
  readonly clock: ManualClock;
  readonly platform: MemoryPlatform;
  readonly store: Store;
  jobs: Jobs;
  readonly engine: () => EmbeddedEngine;
  /** Events of the runs that have begun, in order. */
  readonly runs: JobEvent[];
  play: (event: JobEvent, number: number) => Play;
  /** How long a sub-agent in the background takes, and the run that its end begins. In milliseconds. */
  lasts: Record<Later["kind"], number>;
  /** Outcomes of these sub-agents and runs, in order. */
  readonly background: { readonly kind: Later["kind"]; readonly outcome: QueryOutcome; readonly at: number }[];
  add(input: JobInput, request?: Partial<JobRequest>): Promise<string>;
  /** Threads of the announcements that belong to no run. */
  readonly announcedIn: ThreadRef[];
  /** Entries of the audit log: who, what, about which job. */
  readonly audited: string[];
  /** Posts in the channel, oldest first. */
  posts(): string[];
  occurrences(jobId: string): Promise<OccurrenceRow[]>;
  /** Advances the clock step by step; the work that a step starts ends before the next step. */
  pass(ms: number, stepMs?: number): Promise<void>;
  /** Ends the program, lets time pass, and starts it again. */
  away(ms: number): Promise<void>;
  /**
   * Kills the program, like SIGKILL, at the first commit after which the condition holds; it changes nothing after
   * that.
   */
  killWhen(isSo: () => Promise<boolean>): void;
  isKilled(): boolean;
  /** Makes this many transactions fail from now on, as if the database did not answer. */
  refuseTransactions(count: number): void;
  /** Starts the program again after a kill. */
  startAgain(): Promise<void>;
}

/** Opens a named database. Nothing is cached because others may write to it. */
async function openNamed(url: string, runtime: Runtime): Promise<Store> {
  const store = await openStore(url, runtime);
  onTestFinished(() => store.close());
  return store;
}

export async function openWorld(
  options: {
    readonly start?: string;
    readonly maxConcurrentRuns?: number;
    readonly logDays?: number;
    readonly file?: string;
    /** Read again at each start of the program. */
    readonly access?: Partial<Pick<AccessRules, "admins" | "allow" | "deny">>;
    /** Whether the requester may decide on approvals. Default true. */
    readonly requesterDecides?: boolean;
    /** Skills, by name or as a whole; read again at each use. */
    readonly skills?: (string | Skill)[];
    /** How people relate to channels; by default everybody is a member of each. */
    readonly membershipOf?: MembershipOf;
    readonly memberOf?: MemberOf;
    /** URL of the database; by default a new SQLite file. */
    readonly url?: string;
  } = {},
): Promise<World> {
  const clock = new ManualClock(Date.parse(options.start ?? "2027-01-04T08:00:00Z"));
  const runtime = { clock, ids: countingIds(), random: seededRandom(1) };
  const opened = options.url === undefined ? remembering(await emptyStore()) : await openNamed(options.url, runtime);
  const busy = { calls: 0 };
  const store = tracked(opened, busy);
  const platform = memoryPlatform(clock);
  const paced = pacePlatform(platform, clock);
  const runs: JobEvent[] = [];

  let dies: () => Promise<boolean> = () => Promise.resolve(false);
  const refusing = { left: 0 };
  const live = async (): Promise<{ jobs: Jobs; engine: EmbeddedEngine; life: Life }> => {
    const maxConcurrentRuns = options.maxConcurrentRuns ?? 32;
    const life: Life = { isAlive: true };
    const store = mortalStore(faulty(tracked(opened, busy), refusing), life, () => dies());
    const engine = new EmbeddedEngine({ store, runtime, log: silentLog, maxConcurrentRuns, target: () => paced });
    const jobs: Jobs = createJobs({
      store,
      engine,
      runtime,
      log: silentLog,
      cluster: onlyProcess({ clock: runtime.clock, log: silentLog }),
      access: { admins: ["slack:UADMIN"], deny: [], guests: false, external: false, ...options.access },
      memberOf: options.memberOf ?? (() => Promise.resolve(undefined)),
      approvals: { approvers: [], requester: options.requesterDecides ?? true },
      agentOf: () => "build",
      agents: () => new Set(["build", "plan"]),
      models: createModelChoice(createProviderRegistry({ settings: {}, runtime, log: silentLog }), {}, {}),
      skillsOf: () => skillCatalogue((options.skills ?? []).map(asSkill), []),
      tools: () => ["bash", "read", "web_fetch", "write"],
      membershipOf: options.membershipOf ?? membershipOn(new Map()),
      platforms: PLATFORMS,
      isOn: (name) => name !== "discord",
      defaultTimezone: "Europe/Paris",
      isTimezoneSet: true,
      readDeclared: () => readKept(),
      logDays: options.logDays ?? 1_000,
      ticker: clockTicker(clock),
      audit: async ({ by, act, about }) => void world.audited.push(`${by} ${act} ${about}`),
      announce: (thread, message, key) => {
        world.announcedIn.push(thread);
        return paced.post(thread, message, key);
      },
    });
    const file = options.file ?? path.join(tempDirectory(), "none.json");
    const readKept = createJobsFile({ file, jobs: jobs.control, runtime, log: silentLog });
    await engine.start(handler(() => jobs, { store, engine }, new JobThreads()));
    await jobs.start();
    return { jobs, engine, life };
  };

  /** Plays a sub-agent in the background, or the run that its end has begun. */
  const later = async (body: Later, { sessionId, runId }: Wake, { signal, store, engine }: LaterDeps) => {
    const outcome = await slept(world.lasts[body.kind], { signal, clock });
    world.background.push({ kind: body.kind, outcome, at: clock.now() });
    const endRun = (tx: StoreTransaction, at: number) => tx.runs.end(runId, outcome, at);
    if (body.kind === "child")
      await endChild({ event: body, sessionId, runId, outcome, endRun }, { store, engine, clock });
    else await store.transaction((tx) => endRun(tx, clock.now()));
    return "ended" as const;
  };

  const handler = (jobs: () => Jobs, { store, engine }: LiveParts, threads: JobThreads): SessionHandler => ({
    queued: () => Promise.resolve(),
    async run(wake, given) {
      const { body } = wake.event;
      const { signal } = given;
      if (body.kind === "child" || body.kind === "child_end") return later(body, wake, { signal, store, engine });
      if (body.kind !== "job") throw new Error(`a run of ${body.kind}`);
      runs.push(body);
      const { context } = threads.postsOf(wake, {
        store,
        context: given,
        log: silentLog,
        platform: paced.descriptor,
        lock: sharedLock(),
      });
      const view = jobs().openRun(jobReports(paced), body)(viewOptions(wake, context));
      try {
        const began = clock.now();
        const play = world.play(body, runs.length);
        if (play.leaves === true) {
          const child = childOf(wake, body, clock.now());
          await beginChild({ id: childIdOf(child.parent), settings: {} }, child, { store, engine, clock });
        }
        const outcome = await outcomeOf(body, play, { context, clock });
        if (outcome === "parks") {
          await view.park();
          return "parked";
        }
        await view.finish(outcome, {
          turns: 1,
          tools: 0,
          durationMs: clock.now() - began,
          costUsd: 0.01,
          changedFiles: [],
        });
        await store.transaction((tx) => tx.runs.end(wake.runId, outcome, clock.now()));
        return "ended";
      } catch (error) {
        await view.suspend();
        throw error;
      }
    },
  });

  let living = await live();
  const quiet = async () => {
    for (let rounds = 0; rounds < 4; rounds = busy.calls === 0 ? rounds + 1 : 0) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
  };
  onTestFinished(async () => {
    await living.jobs.stop();
    await living.engine.stop(0);
  });

  const world: World = {
    clock,
    platform,
    store,
    jobs: living.jobs,
    engine: () => living.engine,
    runs,
    play: () => ({}),
    lasts: { child: 0, child_end: 0 },
    background: [],
    announcedIn: [],
    audited: [],
    async add(input, request = {}) {
      const answer = await world.jobs.control.add(input, { person: ANA, thread: CHANNEL, at: clock.now(), ...request });
      if (!answer.isDone) throw new Error(answer.text);
      const { jobs } = await store.jobs.all();
      const newest = jobs.toSorted((a, b) => a.id.localeCompare(b.id)).at(-1);
      return newest?.id ?? "";
    },
    posts: () =>
      platform.requests
        .filter(({ kind }) => kind === "post")
        .map(({ text, message }) => `${text}\n${message?.footer ?? ""}`.trim()),
    occurrences: async (jobId) => (await store.occurrences.newest(jobId, 10_000)).toReversed(),
    async pass(ms, stepMs = 1_000) {
      for (let left = ms; left > 0; left -= stepMs) {
        await clock.advance(Math.min(stepMs, left));
        await quiet();
      }
    },
    async away(ms) {
      await living.jobs.stop();
      const stopping = living.engine.stop(1_000);
      await clock.advance(1_000);
      await stopping;
      await quiet();
      await clock.advance(ms - 1_000);
      living = await live();
      world.jobs = living.jobs;
      await quiet();
    },
    killWhen: (isSo) => {
      dies = isSo;
    },
    isKilled: () => !living.life.isAlive,
    refuseTransactions: (count) => {
      refusing.left = count;
    },
    async startAgain() {
      dies = () => Promise.resolve(false);
      living = await live();
      world.jobs = living.jobs;
      await quiet();
    },
  };
  await quiet();
  return world;
}

function viewOptions({ runId, sessionId }: Wake, context: TurnContext): RunViewOptions {
  return {
    runId,
    sessionId,
    toolsBefore: 0,
    noticesBefore: [],
    tasks: [],
    thread: CHANNEL,
    agentName: "build",
    startedAt: 0,
    isLive: false,
    triggerMessageId: null,
    askedBy: null,
    closes: () => Promise.resolve(),
    finalise: () => Promise.resolve(true),
    repeatFinal: () => Promise.resolve(),
    post: context.post.bind(context),
  };
}

async function outcomeOf(
  body: JobEvent,
  play: Play,
  { context: { signal }, clock }: { context: TurnContext; clock: ManualClock },
): Promise<QueryOutcome | "parks"> {
  if (body.refusal !== undefined) return { type: "error", error: new AppError("config", body.refusal) };
  const outcome = await slept(play.takesMs ?? 1_000, { signal, clock }, play.says);
  if (outcome.type === "cancelled") return outcome;
  play.ends?.();
  if (play.parks === true) return "parks";
  if (play.fails !== undefined) return { type: "error", error: new ProviderError(play.fails, play.fails) };
  return outcome;
}

async function slept(
  ms: number,
  { signal, clock }: { signal: AbortSignal; clock: ManualClock },
  says = "All is quiet.",
): Promise<QueryOutcome> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (signal.reason instanceof CancelSignal) return { type: "cancelled", cause: signal.reason.cause };
    throw error;
  }
  const content = [{ type: "text" as const, text: says }];
  return { type: "end_turn", message: { id: "m", role: "assistant", content, createdAt: clock.now() } };
}

/** The event that begins a sub-agent in the background. */
function childOf({ sessionId, runId }: Wake, { author, mode, tools, budgetUsd }: JobEvent, at: number): ChildEvent {
  const root = { sessionId, runId };
  return {
    kind: "child",
    parent: { ...root, callId: "call-1" },
    task: { agent: "worker", description: "count the tickets", background: true, depth: 1, root },
    prompt: "Count.",
    author,
    people: [],
    access: "member",
    mode,
    tools,
    grantedTools: [],
    maxTurns: 1,
    nonInteractive: true,
    job: { mode, tools, budgetUsd },
    at,
  };
}

function asSkill(skill: string | Skill): Skill {
  return typeof skill === "string" ? skillNamed(skill) : skill;
}
