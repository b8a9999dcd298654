import type { JobOverview, JobView } from "../../../core/jobs/job-control.ts";
import type { Form, FormProblems } from "../../../core/protocol/form.ts";

/** A job of any channel, as one person may see it. */
export interface TeamJob extends JobOverview {
  readonly platform: string;
  readonly channel: string;
  /** Whose it is; empty: the file's. */
  readonly owner: string;
}

export interface TeamJobs {
  /** By name. */
  readonly rows: readonly TeamJob[];
  /** Where the next page begins; null behind the last one. */
  readonly next: string | null;
}

export interface TeamJobView extends TeamJob, JobView {
  /** Why the viewer does nothing with it, a sentence; null where buttons are offered. */
  readonly refusal: string | null;
}

/** What came of a command on jobs. */
export interface CommandTold {
  /** Markdown; null where there is nothing to say. */
  readonly words: string | null;
  /** Fields to fill in, and what is wrong with what was filled in. */
  readonly form: Form | null;
  readonly problems: FormProblems;
}
