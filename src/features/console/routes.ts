import { z } from "zod";
import type { OpenFeature } from "../../feature.ts";
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

/** What the page asks about how everything stands, and what it has cost. */
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
  ];
}
