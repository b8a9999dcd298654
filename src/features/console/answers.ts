import { z } from "zod";
import type { FeatureAnswer, FeatureRequest } from "../../feature.ts";
import { channelCommandSchema, commandInChannel } from "./command.ts";
import { commandJob, dueTimes, jobCommandSchema, whenQuerySchema } from "./jobs/job-commands.ts";
import { jobsQuerySchema, listJobs, showJob } from "./jobs/team-jobs.ts";
import { type OverviewScope, overviewFor } from "./overview/overview.ts";
import { usageFor, usageQuerySchema } from "./usage/usage.ts";
import type { Viewer } from "./visibility.ts";

const jobSchema = z.object({ id: z.string().default("") }).transform(({ id }) => id);

const NOT_UNDERSTOOD = "That request is not valid. Reload the page.";
const NO_CHANNEL = "This channel does not exist, or you may not see it.";
const NO_JOB = "This job no longer exists, or you may not see it.";

type Read = (request: FeatureRequest) => unknown;
const fromQuery: Read = ({ query }) => Object.fromEntries(query);
/** Changes are only read from the body, never from the address. */
const fromBody: Read = ({ body }) => body;

const ANSWERS = {
  "/overview": answering(z.object({}), (viewer, _, world) => overviewFor(viewer, world), { read: fromQuery }),
  "/usage": answering(usageQuerySchema, usageFor, { read: fromQuery, wrong: "I cannot group by that." }),
  "/command": answering(channelCommandSchema, commandInChannel, { read: fromBody, none: NO_CHANNEL }),
  "/jobs": answering(jobsQuerySchema, listJobs, { read: fromQuery, none: NO_JOB }),
  "/jobs/one": answering(jobSchema, showJob, { read: fromQuery, none: NO_JOB }),
  "/jobs/when": answering(whenQuerySchema, dueTimes, { read: fromQuery, none: NO_JOB }),
  "/jobs/command": answering(jobCommandSchema, commandJob, { read: fromBody, none: NO_JOB }),
};

export type ConsoleRoute = keyof typeof ANSWERS;

/** Answers the page's requests about the current state, jobs and costs, and about changes to a channel and its jobs. */
export function answerTo(route: ConsoleRoute, request: FeatureRequest, world: OverviewScope): Promise<FeatureAnswer> {
  return ANSWERS[route](request, world);
}

function answering<T>(
  schema: z.ZodType<T>,
  answer: (viewer: Viewer, asked: T, world: OverviewScope) => Promise<object | null>,
  { read, none = "", wrong = NOT_UNDERSTOOD }: { readonly read: Read; readonly none?: string; readonly wrong?: string },
) {
  return async (request: FeatureRequest, world: OverviewScope): Promise<FeatureAnswer> => {
    const asked = schema.safeParse(read(request));
    if (!asked.success) return { status: 400, body: { error: wrong } };
    const found = await answer(request.viewer, asked.data, world);
    return found === null ? { status: 404, body: { error: none } } : { status: 200, body: found };
  };
}
