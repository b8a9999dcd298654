import { createHash } from "node:crypto";
import type {
  JobAction,
  JobAnswer,
  JobControl,
  JobDraft,
  JobOverview,
  JobPreview,
  JobRequest,
} from "../core/jobs/job-control.ts";
import type { ApprovalRules } from "../core/permissions/deciders.ts";
import { assertNever } from "../core/protocol/assert-never.ts";
import { plainLine } from "../core/protocol/plain-text.ts";
import type { ThreadRef } from "../core/protocol/platform.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import { type BrokenJob, type JobRow, type JobSettings, jobNameKey } from "../core/store/jobs.ts";
import type { Store } from "../core/store/store.ts";
import { clockChanges } from "./clock-changes.ts";
import { type ReadDraft, readDraft } from "./draft.ts";
import { jobDetails, jobLogs, jobOverview, jobSummary } from "./job-words.ts";
import { PAUSED, REMOVED } from "./occurrence.ts";
import type { RefusalOf } from "./refusal.ts";
import { nextDueTimes } from "./schedule.ts";
import type { JobScheduler } from "./scheduler.ts";
import { sentenceOf, timeIn } from "./sentence.ts";

export interface JobControlOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly scheduler: Pick<JobScheduler, "look" | "runNow">;
  /** As in access rules. */
  readonly admins: readonly string[];
  /** Who, beside admins, may give a job more rights than to look: approvers, or whoever asks where nobody is named. */
  readonly approvals: Pick<ApprovalRules, "approvers" | "requester">;
  readonly agents: () => ReadonlySet<string>;
  readonly skillsOf: (thread: ThreadRef) => ReadonlySet<string>;
  readonly refusalOf: RefusalOf;
  readonly defaultTimezone: string;
}

/** Due times that a preview names. */
const NAMED_TIMES = 3;
/** Runs that the strip beside a job shows. */
const SHOWN_RUNS = 7;
/** Jobs that are named to somebody who asks for one that is not there. */
const LISTED_NAMES = 10;
/** Occurrences that `/jobs logs` lists. */
const LISTED_LOGS = 10;

/** Of a list. What Discord shows in one message. */
const LIST_CHARS = 1_700;

const NO_JOBS = `There are no jobs here. A job does something by itself, and what comes of it is posted in the channel:
- every weekday at nine: \`/jobs add --cron "0 9 * * 1-5" --prompt "Post the open tickets."\`
- once, as a reminder: \`/jobs add --at "in 2 hours" --prompt "Remind us of the release."\`
- or tell me in your own words, and I ask before I add it`;

/** Managing jobs, for commands, buttons and tools alike. */
export function createJobControl(options: JobControlOptions): JobControl {
  return new Control(options);
}

type Person = JobRequest["person"];

class Control implements JobControl {
  readonly #options: JobControlOptions;

  constructor(options: JobControlOptions) {
    this.#options = options;
  }

  async preview(draft: JobDraft, request: JobRequest): Promise<JobPreview> {
    const read = await this.#read(draft, request, null);
    if (read.type === "refused") return read;
    const { settings, schedule } = read;
    return {
      type: "job",
      name: settings.name,
      sentence: sentenceOf(schedule),
      next: this.#nextTimes(read),
      details: jobDetails(settings),
    };
  }

  async add(draft: JobDraft, request: JobRequest): Promise<JobAnswer> {
    const { store, runtime } = this.#options;
    const read = await this.#read(draft, request, null);
    if (read.type === "refused") return refused(read.reason);
    const id = request.key === undefined ? runtime.ids.next("job") : idOf(request.key);
    const at = runtime.clock.now();
    const isAdded = await store.transaction(async (tx) => {
      if ((await tx.jobs.get(id)) !== null) return true;
      if (await tx.jobs.isNameTaken(read.settings)) return false;
      await tx.jobs.add({ ...read.settings, id, source: "chat", enabled: true, at });
      return true;
    });
    if (!isAdded) return refused(nameTaken(read.settings.name));
    await this.#options.scheduler.look(id);
    return done(`✓ ${this.#said(read)}`);
  }

  async edit(name: string, draft: JobDraft, request: JobRequest): Promise<JobAnswer> {
    const { store, runtime, scheduler } = this.#options;
    const found = await this.#found(name, request);
    if ("reason" in found) return refused(found.reason);
    const { job } = found;
    const mine = this.#mayManage(job, request.person) ?? fileRefusal(job);
    if (mine !== null) return refused(mine);
    if (Object.keys(draft).length === 0) return refused('Nothing to change: say what, e.g. `--cron "0 9 * * *"`.');
    const read = await this.#read(draft, request, job);
    if (read.type === "refused") return refused(read.reason);
    const at = runtime.clock.now();
    const isChanged = await store.transaction(async (tx) => {
      const isRenamed = jobNameKey(read.settings.thread, read.settings.name) !== jobNameKey(job.thread, job.name);
      if (isRenamed && (await tx.jobs.isNameTaken(read.settings))) return false;
      await tx.jobs.change(job.id, read.settings, at);
      // Due times of the new schedule count from now.
      if (job.enabled) await tx.jobs.accountTo(job.id, at);
      return true;
    });
    if (!isChanged) return refused(nameTaken(read.settings.name));
    await scheduler.look(job.id);
    return done(`✓ ${this.#said(read)}`);
  }

  async list(request: JobRequest): Promise<JobAnswer> {
    const { person } = request;
    const { store, runtime } = this.#options;
    const { jobs, broken } = await this.#seen(request);
    const lines: string[] = [];
    for (const job of jobs) {
      lines.push(jobSummary(job, await store.occurrences.newestRuns(job.id, SHOWN_RUNS), runtime.clock.now()));
    }
    if (this.#isAdmin(person)) lines.push(...broken.map(brokenLine));
    return done(lines.length > 0 ? asMuchAsFits(lines) : NO_JOBS);
  }

  async overview(request: JobRequest): Promise<readonly JobOverview[]> {
    const { store, runtime } = this.#options;
    const { jobs } = await this.#seen(request);
    return Promise.all(
      jobs.map(async (job) => {
        return jobOverview(job, await store.occurrences.newestRuns(job.id, SHOWN_RUNS), runtime.clock.now());
      }),
    );
  }

  /** Jobs that the person may see, those of the channel first. */
  async #seen({ person, thread }: JobRequest): Promise<{ jobs: readonly JobRow[]; broken: readonly BrokenJob[] }> {
    const { jobs, broken } = await this.#options.store.jobs.all();
    const seen = jobs.filter((job) => this.#maySee(job, person, thread));
    return { jobs: [...seen.filter((job) => isIn(job, thread)), ...seen.filter((job) => !isIn(job, thread))], broken };
  }

  async act(action: JobAction, name: string, request: JobRequest): Promise<JobAnswer> {
    const found = await this.#found(name, request);
    if ("reason" in found) return refused(found.reason);
    const { job } = found;
    const { store, runtime } = this.#options;
    if (action === "show") {
      const now = runtime.clock.now();
      const summary = jobSummary(job, await store.occurrences.newestRuns(job.id, SHOWN_RUNS), now);
      return done([summary, ...clockChanges(job, now), jobDetails(job)].join("\n"));
    }
    if (action === "logs") return done(jobLogs(job, await store.occurrences.newest(job.id, LISTED_LOGS)));
    const refusal = this.#mayManage(job, request.person);
    return refusal === null ? this.#change(action, job, request.at) : refused(refusal);
  }

  async #change(action: Exclude<JobAction, "show" | "logs">, job: JobRow, at: number): Promise<JobAnswer> {
    const { store, runtime, scheduler } = this.#options;
    const now = runtime.clock.now();
    const lost = action === "run" || action === "enable" ? this.#options.refusalOf(job) : null;
    if (lost !== null) return refused(lost);
    switch (action) {
      case "run": {
        const refusal = await scheduler.runNow(job, at);
        return refusal === null ? done(`✓ **${job.name}** runs; its report comes to its channel.`) : refused(refusal);
      }
      case "enable":
        await store.transaction((tx) => tx.jobs.enable(job.id, now));
        await scheduler.look(job.id);
        return done(`✓ **${job.name}** is enabled.`);
      case "disable":
        await store.transaction(async (tx) => {
          await tx.jobs.pause(job.id, null, now);
          await tx.occurrences.withdraw(job.id, PAUSED, now);
        });
        await scheduler.look(job.id);
        return done(`⏸ **${job.name}** is paused. \`/jobs enable\` goes on; a run that has begun ends as usual.`);
      case "remove": {
        const refusal = fileRefusal(job);
        if (refusal !== null) return refused(refusal);
        await store.transaction(async (tx) => {
          await tx.jobs.remove(job.id);
          await tx.occurrences.withdraw(job.id, REMOVED, now);
        });
        await scheduler.look(job.id);
        return done(`✓ **${job.name}** is removed.`);
      }
      default:
        return assertNever(action);
    }
  }

  async #read(draft: JobDraft, { person, thread }: JobRequest, known: JobRow | null): Promise<ReadDraft> {
    const { store, runtime, agents, skillsOf, defaultTimezone } = this.#options;
    const read = await readDraft(
      draft,
      {
        thread,
        owner: person,
        defaultTimezone,
        agents: agents(),
        skillsOf,
        channelNamed: (name) => channelNamed(store, thread, name),
        now: runtime.clock.now(),
      },
      known === null ? null : settingsOf(known),
    );
    if (read.type === "refused") return read;
    const refusal = this.#raiseRefusal(read.settings, person);
    return refusal === null ? read : { type: "refused", reason: refusal };
  }

  /** Nobody will be asked while the job runs: who gives it more than to look must be one who may decide. */
  #raiseRefusal(settings: JobSettings, person: Person): string | null {
    const { admins, approvals } = this.#options;
    const trusted = [...admins, ...approvals.approvers];
    const mayGrant = trusted.length === 0 ? approvals.requester : isNamed(person, trusted);
    // Also what such a job is to do: a changed prompt would use what was granted for another.
    const isMore = settings.mode === "agi" || settings.tools.length > 0;
    if (!isMore || mayGrant) return null;
    return "Only admins and approvers may grant a job tools or the mode `agi`, and change one that has them: nobody is asked while it runs.";
  }

  #nextTimes({ settings, schedule }: Extract<ReadDraft, { type: "job" }>): string[] {
    const next = nextDueTimes(schedule, this.#options.runtime.clock.now(), NAMED_TIMES);
    return next.map((due) => timeIn(due, settings.timezone));
  }

  #said(read: Extract<ReadDraft, { type: "job" }>): string {
    const { name } = read.settings;
    return `**${name}** · ${sentenceOf(read.schedule)}\nNext: ${this.#nextTimes(read).join(" · ")}`;
  }

  async #found(name: string, { person, thread }: JobRequest): Promise<{ job: JobRow } | { reason: string }> {
    const { jobs, broken } = await this.#options.store.jobs.all();
    const seen = jobs.filter((job) => this.#maySee(job, person, thread));
    const wanted = name.trim().toLowerCase();
    const job = seen.find(({ id }) => id === name.trim()) ?? seen.find((each) => each.name.toLowerCase() === wanted);
    if (job !== undefined) return { job };
    const bad = broken.find((each) => each.id === name || each.name.toLowerCase() === wanted);
    if (bad !== undefined)
      return { reason: `The job \`${bad.name}\` cannot be read: ${bad.problem}. An operator must mend its row.` };
    const named = seen.slice(0, LISTED_NAMES).map((each) => `\`${each.name}\``);
    const known = [...named, ...(seen.length > LISTED_NAMES ? [`${seen.length - LISTED_NAMES} more`] : [])].join(", ");
    return {
      reason: `I don't know a job \`${plainLine(name.replaceAll("`", ""), 80)}\`. ${known === "" ? "There are none here." : `There is ${known}.`}`,
    };
  }

  #maySee(job: JobRow, person: Person, thread: ThreadRef): boolean {
    const isSameWorkspace = job.thread.platform === thread.platform && job.thread.workspaceId === thread.workspaceId;
    return isIn(job, thread) || (isSameWorkspace && (job.ownerId === person.id || this.#isAdmin(person)));
  }

  #mayManage(job: JobRow, person: Person): string | null {
    if (job.ownerId === person.id || this.#isAdmin(person)) return null;
    return `**${job.name}** is ${job.ownerName === "" ? "the operator's" : `@${job.ownerName}'s`}: only they and admins may do that.`;
  }

  #isAdmin(person: Person): boolean {
    return isNamed(person, this.#options.admins);
  }
}

function asMuchAsFits(lines: readonly string[]): string {
  let chars = 0;
  const fitting = lines.filter((line) => (chars += line.length + 1) <= LIST_CHARS);
  const more = lines.length - fitting.length;
  return more === 0 ? fitting.join("\n") : [...fitting, `… and ${more} more: \`/jobs show <name>\``].join("\n");
}

function idOf(key: string): string {
  return `job_${createHash("sha256").update(key).digest("hex").slice(0, 20)}`;
}

function isNamed({ id, roles }: Person, list: readonly string[]): boolean {
  return [id, ...roles].some((one) => list.includes(one));
}

function isIn(job: JobRow, { platform, channelId }: ThreadRef): boolean {
  return job.channelId === `${platform}:${channelId}`;
}

/** `#ops`, an id, or a mention as the platforms write it: `<#C1|ops>`. */
async function channelNamed(
  store: Store,
  { platform, workspaceId }: ThreadRef,
  name: string,
): Promise<ThreadRef | null> {
  const [, mentioned] = /^<#([A-Za-z0-9]+)(?:\|[^>]*)?>$/u.exec(name.trim()) ?? [];
  const thread = { platform, workspaceId, threadId: null };
  if (mentioned !== undefined) return { ...thread, channelId: mentioned };
  const channelId = await store.jobs.channelNamed(`${platform}:${workspaceId}`, name.trim().replace(/^#/u, ""));
  return channelId === null ? null : { ...thread, channelId };
}

function settingsOf(job: JobRow): JobSettings {
  const { id: _id, source: _source, channelId: _channel, enabled: _enabled, ...rest } = job;
  const { pausedBecause: _because, failures: _failures, accountedTo: _accounted, ...settings } = rest;
  return settings;
}

function fileRefusal({ source, name }: JobRow): string | null {
  return source === "file" ? `**${name}** is kept in the file of jobs; change it there.` : null;
}

function nameTaken(name: string): string {
  return `There is a job **${name}** already. Choose another \`--name\`.`;
}

function brokenLine({ name, problem }: BrokenJob): string {
  return `✗ **${name}** cannot be read: ${problem}`;
}

function done(text: string): JobAnswer {
  return { isDone: true, text };
}

function refused(text: string): JobAnswer {
  return { isDone: false, text };
}
