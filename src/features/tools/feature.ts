import type { Feature } from "../../feature.ts";

/** The agents' tools, shown on the page. */
export const toolsFeature: Feature = {
  name: "tools",
  settings: {},
  configure: () => ({
    problems: [],
    open: async (host) => {
      const { toolRoutes } = await import("./routes.ts");
      return { routes: toolRoutes(host) };
    },
  }),
};
