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
        { name: "by", description: "what to group by", choices: USAGE_GROUPS },
        { name: "days", description: "number of days, including today; 7 by default" },
      ],
      whenOff: "I couldn't load the usage report. My log says why.",
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
