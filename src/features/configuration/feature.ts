import type { Feature } from "../../feature.ts";

/** The settings on the page, as numbered revisions. */
export const configurationFeature: Feature = {
  name: "configuration",
  settings: {},
  configure: () => ({
    problems: [],
    open: async (host) => {
      const { settingsRoutes } = await import("./routes.ts");
      return { routes: settingsRoutes(host) };
    },
  }),
};
