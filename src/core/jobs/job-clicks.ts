import type { Receipt } from "../protocol/platform.ts";
import { reply } from "../protocol/private-reply.ts";
import type { JobAction, JobControl, JobRequest } from "./job-control.ts";

/** Verbs of the buttons under a report and beside a job: `job-run:<job>`, `job-pause:<job>`, `job-enable:<job>`. */
const ACTIONS: ReadonlyMap<string, JobAction> = new Map([
  ["job-run", "run"],
  ["job-pause", "disable"],
  ["job-enable", "enable"],
]);

/** What a click on a report's button does; null when the button is none of a report's. */
export async function jobClick(
  jobs: JobControl,
  { verb, id }: { readonly verb: string; readonly id: string },
  request: JobRequest,
): Promise<Receipt | null> {
  const action = ACTIONS.get(verb);
  if (action === undefined) return null;
  const { text } = await jobs.act(action, id, request);
  return reply(text);
}
