import type { Feature } from "../../feature.ts";

/** Who has done what: written by whatever is done on the page, read there by admins. */
export const auditFeature: Feature = {
  name: "audit",
  settings: {},
  configure: () => ({
    problems: [],
    isEssential: true,
    auditBeside: async (host) => (await import("./audit.ts")).createAudit(host),
    open: async (host) => {
      const [{ createAudit }, { auditRoutes }] = await Promise.all([import("./audit.ts"), import("./routes.ts")]);
      return { audit: createAudit(host), routes: auditRoutes(host) };
    },
  }),
};
