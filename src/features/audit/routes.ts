import { z } from "zod";
import { type FeatureRoute, getRoute } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { auditReads } from "./store.ts";

const PAGE = 100;

const moment = z.coerce.number().int().nonnegative().nullable().default(null);
const querySchema = z.object({
  by: z.string().max(200).default(""),
  act: z.string().max(200).default(""),
  since: moment,
  until: moment,
  /** `<milliseconds>/<id>` */
  after: z
    .string()
    .regex(/^\d{1,15}\/.{1,200}$/u)
    .transform((text) => ({ at: Number(text.slice(0, text.indexOf("/"))), id: text.slice(text.indexOf("/") + 1) }))
    .nullable()
    .default(null),
});

/** Routes for admins: the audit log page by page, and the values to filter it by. */
export function auditRoutes({ store, hideIn }: Pick<FeatureHost, "store" | "hideIn">): readonly FeatureRoute[] {
  const reads = store.tables(auditReads);
  return [
    getRoute("/list", async ({ query }) => {
      const filter = querySchema.safeParse(Object.fromEntries(query));
      if (!filter.success) return { status: 400, body: { error: "This search is not valid." } };
      const entries = await reads.page(filter.data, PAGE + 1);
      const shown = entries.slice(0, PAGE);
      const last = shown.at(-1);
      const next = entries.length > PAGE && last !== undefined ? `${last.at}/${last.id}` : null;
      return { status: 200, body: { rows: hideIn(shown), next } };
    }),
    getRoute("/choices", async () => ({ status: 200, body: await reads.choices() })),
  ].map((route): FeatureRoute => ({ ...route, role: "admin" }));
}
