import type { ConfiguredFeature, Feature, GivenSettings } from "../../feature.ts";

/** What the operator has set, on the page: so far the providers of models. */
export const settingsFeature: Feature = { name: "settings", settings: {}, configure };

function configure({ environment, fileName }: GivenSettings): ConfiguredFeature {
  return {
    problems: [],
    open: async (host) => {
      const { providerRoutes } = await import("./routes.ts");
      return { routes: providerRoutes(host, { environment, fileName }) };
    },
  };
}
