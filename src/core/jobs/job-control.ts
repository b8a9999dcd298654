import { MODES } from "../agents/query-config.ts";
import type { FormField } from "../protocol/form.ts";
import type { Person, Platforms, ThreadRef } from "../protocol/platform.ts";
import type { JobRow } from "../store/jobs.ts";

/** What chat commands, buttons and tools ask of the jobs: `src/jobs` stands behind it. */
export interface JobControl {
  /** What a new job would be; changes nothing. */
  preview(input: JobInput, request: JobRequest): Promise<JobPreview>;
  add(input: JobInput, request: JobRequest): Promise<JobAnswer>;
  /** Jobs that the person may see, those of the channel first. */
  list(request: JobRequest): Promise<JobAnswer>;
  /** As `list`, for a place that shows them itself. */
  overview(request: JobRequest): Promise<readonly JobOverview[]>;
  /** Jobs as they stand, for a place that has found out who may see them; nobody's, in the same order. */
  overviewOf(jobs: readonly JobRow[]): Promise<readonly JobOverview[]>;
  /** With a job by name or id. */
  act(action: JobAction, job: string, request: JobRequest): Promise<JobAnswer>;
  edit(job: string, input: JobInput, request: JobRequest): Promise<JobAnswer>;
  /** Fields for a new job, where `job` is null, or for one that there is, as it stands. */
  form(job: string | null, request: JobRequest): Promise<JobForm>;
  /** All of a job, for a place that shows it itself; null when there is none that the person may see. */
  view(job: string, request: JobRequest): Promise<JobView | null>;
  /** Jobs that are kept elsewhere than in the database. */
  readonly kept: KeptJobs;
}

export const JOB_ACTIONS = ["show", "run", "enable", "disable", "remove", "logs"] as const;
export type JobAction = (typeof JOB_ACTIONS)[number];

/** Who asks, and where. */
export interface JobRequest {
  readonly person: Pick<Person, "id" | "name" | "roles">;
  readonly thread: ThreadRef;
  /** Milliseconds since the epoch: the same request, delivered again, is the same run. */
  readonly at: number;
  /** The same key adds one job, however often it is asked for. */
  readonly key?: string;
  /** Everybody in the thread reads the answer, not only who asks. */
  readonly isShared?: boolean;
  /** How the job stood for whoever changes it: where it is another by now, nothing changes. */
  readonly version?: string;
}

/** Markdown for the person. */
export interface JobAnswer {
  readonly isDone: boolean;
  readonly text: string;
  /** What is wrong with the input, where it is; sentences. */
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
  /** A sentence: why there is none. */
  | { readonly type: "refused"; readonly reason: string };

export type JobPreview =
  | {
      readonly type: "job";
      readonly name: string;
      readonly sentence: string;
      readonly next: readonly string[];
      /** When a job is due that is due once. Milliseconds since the epoch. */
      readonly dueOnce: number | null;
      readonly details: string;
    }
  /** A sentence: why it cannot be. */
  | { readonly type: "refused"; readonly reason: string };

export interface JobOverview {
  readonly id: string;
  readonly name: string;
  /** When it is due, in words: `every weekday at 09:00 Europe/Paris`; or why that cannot be told. */
  readonly sentence: string;
  /** Milliseconds since the epoch; null when it is paused, or will not be due again. */
  readonly nextAt: number | null;
  readonly isEnabled: boolean;
  /** It was to come once, and has. */
  readonly isDone: boolean;
  /** Kept in the file of jobs: not to be changed or removed here. */
  readonly isFromFile: boolean;
  /** The person may run, pause and remove it. */
  readonly isTheirs: boolean;
  /** Its newest runs, oldest first. */
  readonly runs: readonly { readonly success: boolean; readonly durationMs: number | null }[];
}

export interface JobView extends JobOverview {
  /** Why it was paused; null when somebody paused it, or nobody. */
  readonly pausedBecause: string | null;
  /** The next due times, in words. */
  readonly next: readonly string[];
  /** What it is to do; null for those who may not read it. */
  readonly prompt: string | null;
  /** How it runs, each in a few words. */
  readonly settings: readonly string[];
  /** The newest due times and what came of them, newest first. */
  readonly log: readonly JobLogLine[];
}

export interface JobLogLine {
  readonly id: string;
  /** With its sign: `✓ done`. */
  readonly outcome: string;
  /** When it was due, in words. */
  readonly due: string;
  /** How long it took, what it cost, and what was said. */
  readonly words: string;
  /** The session of its run; null before it. */
  readonly sessionId: string | null;
}

/** A job that is kept elsewhere than in the database, by which it is known for its name. */
export interface KeptJob {
  readonly input: JobInput;
  /** Where its report goes. */
  readonly thread: ThreadRef;
  readonly owner: { readonly id: string; readonly name: string };
  /** As typed: yes or no. */
  readonly enabled: string;
}

/** Makes jobs of them: what is there is what there is. */
export interface KeptJobs {
  /** Those that there are. */
  readonly platforms: Platforms;
  /** What keeps it from being a job, in words; null when nothing does, or its time is past. Changes nothing. */
  readonly problemWith: (job: KeptJob) => Promise<string | null>;
  /** `at`: as it stood at that time; `kept`: ids of those that were taken over before it. */
  readonly takeOver: (
    job: KeptJob,
    by: { readonly kept: ReadonlySet<string>; readonly at: number },
  ) => Promise<TakenOver>;
  /** Removes those that are kept no longer; how many. */
  readonly keepOnly: (kept: ReadonlySet<string>) => Promise<number>;
}

export interface TakenOver {
  /** Null where it is no job. */
  readonly id: string | null;
  /** Why it is none, where it is wrong. */
  readonly problem?: string;
  /** Why nothing comes of it, or which tool is not there. */
  readonly vain?: string | null;
}

/** For whoever only looks. */
export type KeptJobReader = Pick<KeptJobs, "platforms" | "problemWith">;

/** What is set of a job, as typed; what is absent keeps its value, or its default. */
export type JobInput = Readonly<Partial<Record<JobField, string>>>;
export type JobField = (typeof JOB_FIELDS)[number]["name"];

/** Flags of `/jobs add`, fields of forms, and what the file of jobs may say. */
export const JOB_FIELDS = [
  { name: "name", description: "what people call it" },
  { name: "cron", description: "when: five fields, or six with seconds first, or @daily" },
  { name: "at", description: "once: 2026-12-01 09:00, tomorrow 9:00 or in 2 hours" },
  { name: "timezone", description: "whose clock: Europe/Paris" },
  { name: "prompt", description: "what to do" },
  { name: "channel", description: "where the report goes; here by default" },
  { name: "agent", description: "who does it" },
  { name: "skill", description: "the skill it follows, and what it is applied to" },
  { name: "model", description: "provider/model" },
  { name: "mode", description: "read by default: only look", choices: MODES },
  { name: "tools", description: "tools granted beyond the mode, by comma" },
  { name: "timeout", description: "seconds a run may take; 300 by default" },
  { name: "budget", description: "US dollars a run may cost" },
  { name: "catch-up", description: "after a time away: none, or run the latest", choices: ["none", "latest"] },
  { name: "overlap", description: "while a run goes on", choices: ["skip", "queue", "cancel-previous"] },
  { name: "attempts", description: "attempts when failures may pass; 3 by default" },
  { name: "jitter", description: "seconds over which the beginning is spread" },
  { name: "silent", description: "say nothing when the report is as before", choices: ["yes", "no"] },
  { name: "pause-after", description: "failures in a row after which it pauses; 5 by default" },
] as const;
