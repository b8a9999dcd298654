import type { JobAnswer, JobProblems } from "../../core/jobs/job-control.ts";

/** Answers to requests about jobs. */
export function done(text: string): JobAnswer {
  return { isDone: true, text };
}

export function refused(text: string, problems?: JobProblems): JobAnswer {
  return { isDone: false, text, ...(problems === undefined ? {} : { problems }) };
}
