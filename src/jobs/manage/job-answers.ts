import type { JobAnswer, JobProblems } from "../../core/jobs/job-control.ts";

/** Answers to requests about jobs. */
export function doneAnswer(text: string): JobAnswer {
  return { isDone: true, text };
}

export function refusedAnswer(text: string, problems?: JobProblems): JobAnswer {
  return { isDone: false, text, ...(problems === undefined ? {} : { problems }) };
}
