import type { Feature } from "../../feature.ts";

/** The processes that share the database, shown on the page. */
export const replicasFeature: Feature = {
  name: "replicas",
  settings: {},
  configure: () => ({
    problems: [],
    open: async (host) => {
      const { replicaRoutes } = await import("./routes.ts");
      return { routes: replicaRoutes(host) };
    },
  }),
};
