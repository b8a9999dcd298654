import { z } from "zod";
import type { FeatureAnswer, FeatureRequest } from "../../feature.ts";
import { channelCommandSchema, commandInChannel } from "./command.ts";
import { commandJob, dueTimes, jobCommandSchema, whenQuerySchema } from "./jobs/job-commands.ts";
import { jobsQuerySchema, listJobs, showJob } from "./jobs/team-jobs.ts";
import type { ConsoleScope } from "./scope.ts";
import type { Viewer } from "./sight.ts";
import { usageFor, usageQuerySchema } from "./usage/usage.ts";

const jobSchema = z.object({ id: z.string().default("") }).transform(({ id }) => id);

const NOT_UNDERSTOOD = "That was not understood. Reload the page.";
const NO_CHANNEL = { none: "There is no such channel that you may see." };
const NO_JOB = { none: "There is no such job any more, or none that you may see." };

const ANSWERS = {
  "/usage": answering(usageQuerySchema, usageFor, { wrong: "I cannot sum that up." }),
  "/command": answering(channelCommandSchema, commandInChannel, NO_CHANNEL),
  "/jobs": answering(jobsQuerySchema, listJobs, NO_JOB),
  "/jobs/one": answering(jobSchema, showJob, NO_JOB),
  "/jobs/when": answering(whenQuerySchema, dueTimes, NO_JOB),
  "/jobs/command": answering(jobCommandSchema, commandJob, NO_JOB),
};

export type ConsoleRoute = keyof typeof ANSWERS;

/** What the page asks about jobs and what it has cost, and what it does with a channel and its jobs. */
export function answerTo(route: ConsoleRoute, request: FeatureRequest, world: ConsoleScope): Promise<FeatureAnswer> {
  return ANSWERS[route](request, world);
}

function answering<T>(
  schema: z.ZodType<T>,
  answer: (viewer: Viewer, asked: T, world: ConsoleScope) => Promise<object | null>,
  { none = "", wrong = NOT_UNDERSTOOD }: { readonly none?: string; readonly wrong?: string },
) {
  return async ({ viewer, query, body }: FeatureRequest, world: ConsoleScope): Promise<FeatureAnswer> => {
    const asked = schema.safeParse(body ?? Object.fromEntries(query));
    if (!asked.success) return { status: 400, body: { error: wrong } };
    const found = await answer(viewer, asked.data, world);
    return found === null ? { status: 404, body: { error: none } } : { status: 200, body: found };
  };
}
