import type { Feature } from "../../feature.ts";

/** The audit log: everything done on the page is recorded, and admins read it there. */
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
