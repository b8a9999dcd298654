import type { Feature } from "../../feature.ts";
import { USAGE_GROUPS } from "./groups.ts";

/** Reports what the work has cost, as text and as a chart. */
export const usageFeature: Feature = {
  name: "usage",
  settings: {},
  commands: [
    {
      name: "usage",
      description: "what my work has cost, by day, user, channel, model or job",
      usage: "[user|channel|model|job|day] [days]",
      permission: "everyone",
      options: [
        { name: "by", description: "what to sum up by", choices: USAGE_GROUPS },
        { name: "days", description: "how many days back, today included; 7 by default" },
      ],
      whenOff: "I could not load what sums costs up. My log says why.",
    },
  ],
  configure: () => ({
    problems: [],
    open: async () => {
      const { reportUsage } = await import("./report.ts");
      return { commands: { usage: reportUsage } };
    },
  }),
};
