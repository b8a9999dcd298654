import { z } from "zod";
import type { FeatureRequest, OpenFeature } from "../../feature.ts";
import { channelCommandSchema } from "./command.ts";
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

const JOBS = [
  { method: "GET", path: "/jobs" },
  { method: "GET", path: "/jobs/one" },
  { method: "GET", path: "/jobs/when" },
  { method: "POST", path: "/jobs/command" },
] as const;

/** What the page asks about jobs, how everything stands, and what it has cost. */
export function consoleRoutes(load: () => Promise<Sessions>): NonNullable<OpenFeature["routes"]> {
  return [
    {
      method: "GET",
      path: "/overview",
      handle: async ({ viewer }) => ({ status: 200, body: await (await load()).overview(viewer) }),
    },
    {
      method: "GET",
      path: "/usage",
      handle: async ({ viewer, query }) => {
        const asked = usageSchema.safeParse(Object.fromEntries(query));
        if (!asked.success) return { status: 400, body: { error: "I cannot sum that up." } };
        return { status: 200, body: await (await load()).usage(viewer, asked.data) };
      },
    },
    {
      method: "POST",
      path: "/command",
      handle: async ({ viewer, body }) => {
        const asked = channelCommandSchema.safeParse(body);
        if (!asked.success) return { status: 400, body: { error: "That was not understood. Reload the page." } };
        const told = await (await load()).command(viewer, asked.data);
        if (told === null) return { status: 404, body: { error: "There is no such channel that you may see." } };
        return { status: 200, body: told };
      },
    },
    ...JOBS.map(({ method, path }) => ({
      method,
      path,
      handle: async (request: FeatureRequest) => (await load()).jobs(path, request),
    })),
  ];
}
