import type { JobOverview, JobView } from "../../../core/jobs/job-control.ts";
import type { Form, FormProblems } from "../../../core/protocol/form.ts";

/** A job of any channel, as one person may see it. */
export interface TeamJob extends JobOverview {
  readonly platform: string;
  readonly channel: string;
  /** The job's owner; empty if it comes from the file. */
  readonly owner: string;
}

export interface TeamJobs {
  /** Sorted by name. */
  readonly rows: readonly TeamJob[];
  /** Cursor of the next page; null after the last one. */
  readonly next: string | null;
}

export interface TeamJobView extends TeamJob, JobView {
  /** Why the viewer may not act on the job, as a sentence; null if buttons are offered. */
  readonly refusal: string | null;
}

export interface CommandOutcome {
  /** Message in Markdown; null if there is nothing to say. */
  readonly words: string | null;
  /** A form to fill in, with the errors of the previous input. */
  readonly form: Form | null;
  readonly problems: FormProblems;
}
