import { z } from "zod";
import { type FeatureRequest, get, type OpenFeature, post } from "../../feature.ts";
import { channelCommandSchema } from "./command.ts";
import type { JobRoute } from "./jobs/job-routes.ts";
import type { Sessions } from "./sessions.ts";

const words = z.string().max(400).default("");
const usageSchema = z.object({
  by: z.enum(["day", "model", "channel", "person", "job"]).default("day"),
  days: z.coerce.number().int().min(1).max(92).default(7),
  model: words,
  channel: words,
  person: words,
  job: words,
});

/** What the page asks about jobs, how everything stands, and what it has cost. */
export function consoleRoutes(load: () => Promise<Sessions>): NonNullable<OpenFeature["routes"]> {
  const onJobs = (path: JobRoute) => async (request: FeatureRequest) => (await load()).jobs(path, request);
  return [
    get("/overview", async ({ viewer }) => ({ status: 200, body: await (await load()).overview(viewer) })),
    get("/usage", async ({ viewer, query }) => {
      const asked = usageSchema.safeParse(Object.fromEntries(query));
      if (!asked.success) return { status: 400, body: { error: "I cannot sum that up." } };
      return { status: 200, body: await (await load()).usage(viewer, asked.data) };
    }),
    post("/command", async ({ viewer, body }) => {
      const asked = channelCommandSchema.safeParse(body);
      if (!asked.success) return { status: 400, body: { error: "That was not understood. Reload the page." } };
      const told = await (await load()).command(viewer, asked.data);
      if (told === null) return { status: 404, body: { error: "There is no such channel that you may see." } };
      return { status: 200, body: told };
    }),
    get("/jobs", onJobs("/jobs")),
    get("/jobs/one", onJobs("/jobs/one")),
    get("/jobs/when", onJobs("/jobs/when")),
    post("/jobs/command", onJobs("/jobs/command")),
  ];
}
