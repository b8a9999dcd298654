import { MODES } from "../agents/query-config.ts";
import type { Platforms } from "../platform/descriptor.ts";
import type { Person, ThreadRef } from "../platform/thread.ts";
import type { FormField } from "../protocol/form.ts";
import type { JobRow } from "../store/jobs.ts";
import type { PastRun } from "./history-strip.ts";

/** Job operations for chat commands, buttons and tools. Implemented in `src/jobs`. */
export interface JobControl {
  /** Shows what a new job would be. Changes nothing. */
  preview(input: JobInput, request: JobRequest): Promise<JobPreview>;
  add(input: JobInput, request: JobRequest): Promise<JobAnswer>;
  /** Lists the jobs that the person may see, those of the channel first. */
  list(request: JobRequest): Promise<JobAnswer>;
  /** The same as `list`, as data. */
  overview(request: JobRequest): Promise<readonly JobOverview[]>;
  /**
   * Overviews of the given jobs, in the same order, for callers that check access by themselves. `isTheirs` is always
   * false.
   */
  overviewOf(jobs: readonly JobRow[]): Promise<readonly JobOverview[]>;
  /** Performs an action on a job, given by name or id. */
  act(action: JobAction, job: string, request: JobRequest): Promise<JobAnswer>;
  edit(job: string, input: JobInput, request: JobRequest): Promise<JobAnswer>;
  /** The fields of a form for a new job if `job` is null, or for an existing job with its current values. */
  form(job: string | null, request: JobRequest): Promise<JobForm>;
  /** All data of a job; null if there is none that the person may see. */
  view(job: string, request: JobRequest): Promise<JobView | null>;
  /** Jobs that are defined outside the database. */
  readonly declared: DeclaredJobs;
}

export const JOB_ACTIONS = ["show", "run", "enable", "disable", "remove", "logs"] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];

export interface JobRequest {
  readonly person: Pick<Person, "id" | "name" | "roles">;
  readonly thread: ThreadRef;
  /** In milliseconds since the epoch. A redelivered request with the same time yields the same run. */
  readonly at: number;
  /** Idempotency key: requests with the same key add only one job. */
  readonly key?: string;
  /** Whether everybody in the thread reads the answer, and not only the person. */
  readonly isShared?: boolean;
  /** The version that the person has seen. If the job has changed since, the request changes nothing. */
  readonly version?: string;
}

/** The reply, in Markdown. */
export interface JobAnswer {
  readonly isDone: boolean;
  readonly text: string;
  /** Problems with the input by field, as sentences; absent if there are none. */
  readonly problems?: JobProblems;
}

export type JobProblems = Readonly<Partial<Record<JobField, string>>>;

export type JobForm =
  | {
      readonly type: "form";
      /** Null for a new job. */
      readonly job: { readonly id: string; readonly name: string; readonly version: string } | null;
      readonly fields: readonly FormField[];
    }
  /** `reason` is a sentence that explains why there is no form. */
  | { readonly type: "refused"; readonly reason: string };

export type JobPreview =
  | {
      readonly type: "job";
      readonly name: string;
      readonly sentence: string;
      readonly next: readonly string[];
      /** Due time of a job that is due only once, in milliseconds since the epoch; null for others. */
      readonly dueOnce: number | null;
    }
  /** `reason` is a sentence that explains why the job cannot exist. */
  | { readonly type: "refused"; readonly reason: string };

export interface JobOverview {
  readonly id: string;
  readonly name: string;
  /** When the job is due, in words, such as `every weekday at 09:00 Europe/Paris`, or why that is unknown. */
  readonly sentence: string;
  /** Next due time in milliseconds since the epoch; null if the job is paused or not due again. */
  readonly nextAt: number | null;
  readonly isEnabled: boolean;
  /** Whether the job was due once and has run. */
  readonly isDone: boolean;
  /** Whether the job is defined in the jobs file, so that it cannot be changed or removed here. */
  readonly isFromFile: boolean;
  /** Whether the person may run, pause and remove the job. */
  readonly isTheirs: boolean;
  /** The newest runs, oldest first. */
  readonly runs: readonly PastRun[];
}

export interface JobView extends JobOverview {
  /** Why the program has paused the job; null if a person paused it or it is not paused. */
  readonly pausedBecause: string | null;
  /** The next due times, in words. */
  readonly next: readonly string[];
  /** The job's prompt; null for people who may not read it. */
  readonly prompt: string | null;
  /** The settings of its runs, each in a few words. */
  readonly settings: readonly string[];
  /** The newest due times and their outcomes, newest first. */
  readonly log: readonly JobLogLine[];
}

export interface JobLogLine {
  readonly id: string;
  /** The outcome with its sign, such as `✓ done`. */
  readonly outcome: string;
  /** The due time, in words. */
  readonly due: string;
  /** Duration, cost and report of the run. */
  readonly words: string;
  /** The session of the run; null if it has not begun. */
  readonly sessionId: string | null;
}

/** A job that is defined outside the database and identified by its name. */
export interface DeclaredJob {
  readonly input: JobInput;
  /** Where the job reports. */
  readonly thread: ThreadRef;
  readonly owner: { readonly id: string; readonly name: string };
  /** A word for yes or no, such as `true`. */
  readonly enabled: string;
}

/** Turns jobs that are defined elsewhere into rows, so that exactly the defined ones exist. */
export interface DeclaredJobs {
  /** The platforms on which jobs can report. */
  readonly platforms: Platforms;
  /** Says what is wrong with the definition. Changes nothing. A due time in the past counts as valid. */
  readonly check: (job: DeclaredJob) => Promise<Omit<DeclaredJobResult, "id">>;
  /**
   * Creates or updates the job. `at` is when the definition was read, and `applied` holds the ids of jobs already
   * applied.
   */
  readonly apply: (
    job: DeclaredJob,
    by: { readonly applied: ReadonlySet<string>; readonly at: number },
  ) => Promise<DeclaredJobResult>;
  /** Removes jobs that are no longer defined, and returns how many. */
  readonly removeExcept: (applied: ReadonlySet<string>) => Promise<number>;
}

export interface DeclaredJobResult {
  /** Null if the definition is not a job. */
  readonly id: string | null;
  /** What is wrong with the definition, if anything. */
  readonly problem?: string;
  /** Why the job would have no effect, or what it lacks. */
  readonly warning?: string | null;
}

/** The operations that change nothing. */
export type DeclaredJobReader = Pick<DeclaredJobs, "platforms" | "check">;

/** A job's settings as typed. Absent fields keep their values or get their defaults. */
export type JobInput = Readonly<Partial<Record<JobField, string>>>;
export type JobField = (typeof JOB_FIELDS)[number]["name"];

/** The flags of `/jobs add`, which are also the fields of forms and of the jobs file. */
export const JOB_FIELDS = [
  { name: "name", description: "a name for the job" },
  { name: "cron", description: "when: five fields, or six with seconds first, or @daily" },
  { name: "at", description: "once: 2026-12-01 09:00, tomorrow 9:00 or in 2 hours" },
  { name: "timezone", description: "time zone, for example Europe/Paris" },
  { name: "prompt", description: "what to do" },
  { name: "channel", description: "where the report goes; here by default" },
  { name: "agent", description: "the agent that does it" },
  { name: "skill", description: "the skill to use, and its arguments" },
  { name: "model", description: "provider/model" },
  { name: "mode", description: "what it may do; read by default: only look", choices: MODES },
  { name: "tools", description: "additional tools, separated by commas" },
  { name: "timeout", description: "maximum seconds per run; 300 by default" },
  { name: "budget", description: "maximum US dollars per run" },
  {
    name: "catch-up",
    description: "after downtime: run nothing, or the latest missed run",
    choices: ["none", "latest"],
  },
  {
    name: "overlap",
    description: "what to do if the previous run is still going",
    choices: ["skip", "queue", "cancel-previous"],
  },
  { name: "attempts", description: "attempts after temporary failures; 3 by default" },
  { name: "jitter", description: "start up to this many seconds late" },
  { name: "silent", description: "post nothing if the report is unchanged", choices: ["yes", "no"] },
  { name: "pause-after", description: "pause after this many failures in a row; 5 by default" },
] as const;
