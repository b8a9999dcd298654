import { assertNever } from "../../../core/protocol/assert-never.ts";
import type { FeatureAnswer, FeatureRequest } from "../../../feature.ts";
import type { ConsoleScope } from "../scope.ts";
import { commandJob, dueTimes, jobCommandSchema, whenQuerySchema } from "./job-commands.ts";
import { jobsQuerySchema, listJobs, showJob } from "./team-jobs.ts";

/** What is asked about jobs of all channels. */
export type JobRoute = "/jobs" | "/jobs/one" | "/jobs/when" | "/jobs/command";

const NOT_UNDERSTOOD: FeatureAnswer = { status: 400, body: { error: "That was not understood. Reload the page." } };
const NOT_THERE: FeatureAnswer = {
  status: 404,
  body: { error: "There is no such job any more, or none that you may see." },
};

export async function answerOnJobs(
  route: JobRoute,
  request: FeatureRequest,
  world: ConsoleScope,
): Promise<FeatureAnswer> {
  const { viewer, query, body } = request;
  switch (route) {
    case "/jobs": {
      const asked = jobsQuerySchema.safeParse(Object.fromEntries(query));
      return asked.success ? answer(await listJobs(viewer, asked.data, world)) : NOT_UNDERSTOOD;
    }
    case "/jobs/one":
      return answer(await showJob(viewer, query.get("id") ?? "", world));
    case "/jobs/when": {
      const asked = whenQuerySchema.safeParse(Object.fromEntries(query));
      return asked.success ? answer(await dueTimes(viewer, asked.data, world)) : NOT_UNDERSTOOD;
    }
    case "/jobs/command": {
      const command = jobCommandSchema.safeParse(body);
      return command.success ? answer(await commandJob(viewer, command.data, world)) : NOT_UNDERSTOOD;
    }
    default:
      return assertNever(route);
  }
}

function answer(body: object | null): FeatureAnswer {
  return body === null ? NOT_THERE : { status: 200, body };
}
