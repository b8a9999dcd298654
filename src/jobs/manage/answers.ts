import type { JobAnswer, JobProblems } from "../../core/jobs/job-control.ts";

/** The answers to what is asked of jobs. */
export function done(text: string): JobAnswer {
  return { isDone: true, text };
}

export function refused(text: string, problems?: JobProblems): JobAnswer {
  return { isDone: false, text, ...(problems === undefined ? {} : { problems }) };
}
