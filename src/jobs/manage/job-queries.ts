import type { JobAnswer, JobControl, JobForm, JobOverview, JobRequest, JobView } from "../../core/jobs/job-control.ts";
import type { SkillCatalogue } from "../../core/skills/skills.ts";
import { type BrokenJob, type JobRow, settingsOf } from "../../core/store/jobs.ts";
import { clockChanges } from "../calendar/clock-changes.ts";
import { nextDueTimes, readSchedule } from "../calendar/schedule.ts";
import { timeIn } from "../calendar/sentence.ts";
import type { JobScope } from "../scheduling/job-scope.ts";
import { doneAnswer } from "./job-answers.ts";
import { jobFields, versionOf } from "./job-fields.ts";
import type { JobFinder } from "./job-finder.ts";
import type { JobRights } from "./job-rights.ts";
import {
  channelLabel,
  jobDetails,
  jobLogLine,
  jobLogs,
  jobOverview,
  jobSettings,
  jobSummary,
  NAMED_TIMES,
  pauseText,
  truncatedList,
} from "./job-text.ts";

/** Number of runs in a job's history strip. */
const SHOWN_RUNS = 7;
/** Number of occurrences that `/jobs logs` lists. */
const LISTED_LOGS = 10;

const NO_JOBS = `There are no jobs here yet. A job runs on its own and posts its report in the channel:
- every weekday at nine: \`/jobs add --cron "0 9 * * 1-5" --prompt "Post the open tickets."\`
- once, as a reminder: \`/jobs add --at "in 2 hours" --prompt "Remind us of the release."\`
- or tell me in your own words; I'll ask before I add it`;

/** Queries about jobs, which change nothing. */
export class JobQueries implements Pick<JobControl, "form" | "view" | "list" | "overview" | "overviewOf"> {
  readonly #options: JobScope;
  readonly #rights: JobRights;
  readonly #finder: JobFinder;

  constructor(options: JobScope, rights: JobRights, finder: JobFinder) {
    this.#options = options;
    this.#rights = rights;
    this.#finder = finder;
  }

  async form(name: string | null, request: JobRequest): Promise<JobForm> {
    const { agents, skillsOf, platforms, defaultTimezone: timezone, isTimezoneSet } = this.#options;
    const found = name === null ? null : await this.#finder.found(name, request);
    if (found !== null && "reason" in found) return { type: "refused", reason: found.reason };
    const job = found?.job ?? null;
    const refusal = job === null ? null : await this.#rights.editRefusal(job, request);
    if (refusal !== null) return { type: "refused", reason: refusal };
    const thread = job?.thread ?? request.thread;
    const hasChannels = platforms.get(thread.platform)?.isOwn !== true;
    const settings = job === null ? null : settingsOf(job);
    const skills = namesIn(skillsOf(thread));
    const fields = jobFields({ settings, timezone, isTimezoneSet, agents: agents(), skills, hasChannels });
    const known = job === null ? null : { id: job.id, name: job.name, version: versionOf(job) };
    return { type: "form", job: known, fields };
  }

  async view(name: string, request: JobRequest): Promise<JobView | null> {
    const { store, runtime } = this.#options;
    const found = await this.#finder.found(name, request);
    if ("reason" in found) return null;
    const { job } = found;
    const now = runtime.clock.now();
    const [runs, log, mayRead] = await Promise.all([
      store.occurrences.newestRuns(job.id, SHOWN_RUNS),
      store.occurrences.newest(job.id, LISTED_LOGS),
      this.#rights.mayRead(job, request),
    ]);
    const read = readSchedule(job);
    const due = job.enabled && read.type === "schedule" ? nextDueTimes(read.schedule, now, NAMED_TIMES) : [];
    return {
      ...jobOverview(job, runs, now),
      isTheirs: this.#isTheirs(job, request),
      pausedBecause: job.pausedBecause && pauseText(job.pausedBecause),
      next: due.map((each) => timeIn(each, job.timezone)),
      prompt: mayRead ? job.prompt : null,
      settings: jobSettings(job),
      log: log.map((each) => jobLogLine(each, { timezone: job.timezone, mayRead })),
    };
  }

  async list(request: JobRequest): Promise<JobAnswer> {
    const { person } = request;
    const { store, runtime } = this.#options;
    const { jobs, broken } = await this.#finder.seen(request);
    const runs = await store.occurrences.newestRunsOf(idsOf(jobs), SHOWN_RUNS);
    const lines = jobs.map((job) => jobSummary(job, runs.get(job.id) ?? [], runtime.clock.now()));
    if (this.#rights.isAdmin(person)) lines.push(...broken.map(brokenLine));
    return doneAnswer(lines.length > 0 ? truncatedList(lines) : NO_JOBS);
  }

  async overview(request: JobRequest): Promise<readonly JobOverview[]> {
    const { jobs } = await this.#finder.seen(request);
    const overviews = await this.overviewOf(jobs);
    const theirs = new Set(jobs.filter((job) => this.#isTheirs(job, request)).map(({ id }) => id));
    return overviews.map((overview) => ({ ...overview, isTheirs: theirs.has(overview.id) }));
  }

  async overviewOf(jobs: readonly JobRow[]): Promise<readonly JobOverview[]> {
    const { store, runtime } = this.#options;
    const runs = await store.occurrences.newestRunsOf(idsOf(jobs), SHOWN_RUNS);
    return jobs.map((job) => {
      return { ...jobOverview(job, runs.get(job.id) ?? [], runtime.clock.now()), isTheirs: false };
    });
  }

  async show(job: JobRow, request: JobRequest): Promise<JobAnswer> {
    const { store, runtime } = this.#options;
    const now = runtime.clock.now();
    const summary = jobSummary(job, await store.occurrences.newestRuns(job.id, SHOWN_RUNS), now);
    const mayRead = await this.#rights.mayRead(job, request);
    const channel = await channelLabel(job, store, { mayRead });
    return doneAnswer([summary, ...clockChanges(job, now), jobDetails(job, channel, { mayRead })].join("\n"));
  }

  async logs(job: JobRow, request: JobRequest): Promise<JobAnswer> {
    const mayRead = await this.#rights.mayRead(job, request);
    return doneAnswer(jobLogs(job, await this.#options.store.occurrences.newest(job.id, LISTED_LOGS), { mayRead }));
  }

  #isTheirs(job: JobRow, { person }: JobRequest): boolean {
    return this.#rights.manageRefusal(job, person) === null;
  }
}

const idsOf = (jobs: readonly JobRow[]) => jobs.map(({ id }) => id);

function brokenLine({ name, problem }: BrokenJob): string {
  return `✗ **${name}** can't be read: ${problem}`;
}

function namesIn({ skills }: SkillCatalogue): ReadonlySet<string> {
  return new Set(skills.map(({ name }) => name));
}
