import { z } from "zod";
import type { FeatureHost, OpenFeature } from "../../feature.ts";
import { type ProviderSources, shownModels, shownProviders } from "./providers.ts";

type Route = NonNullable<OpenFeature["routes"]>[number];

const askedSchema = z.object({ id: z.string().max(200) });
const NONE = { status: 404, body: { error: "There is no such provider." } };
const WITHOUT_KEY = { status: 409, body: { error: "It has no key: there is nothing to test." } };

/** Providers of models: whoever reads the page sees which have a key, and an admin tries one. Keys go nowhere. */
export function providerRoutes(
  { providers, tryKey, hideIn, audit }: Pick<FeatureHost, "providers" | "tryKey" | "hideIn" | "audit">,
  sources: ProviderSources,
): readonly Route[] {
  return [
    {
      method: "GET",
      path: "/providers",
      handle: async ({ viewer }) => {
        const mayTest = viewer.kind === "operator" || viewer.account.role === "admin";
        return { status: 200, body: { rows: hideIn(shownProviders(providers, sources)), mayTest } };
      },
    },
    {
      method: "GET",
      path: "/models",
      handle: async ({ query }) => {
        const found = shownModels(query.get("provider") ?? "", providers);
        return found === null ? NONE : { status: 200, body: hideIn(found) };
      },
    },
    {
      method: "POST",
      path: "/test",
      role: "admin",
      handle: async ({ body, viewer }) => {
        const asked = askedSchema.safeParse(body);
        const found = shownProviders(providers, sources).find(({ id }) => id === asked.data?.id);
        if (found === undefined) return NONE;
        if (!found.isConfigured) return WITHOUT_KEY;
        const { ok, text } = hideIn(await tryKey(found.id));
        const by = viewer.kind === "operator" ? "" : viewer.account.name;
        await audit({ by, act: "provider.tested", about: found.name, details: ok ? "it works" : "it does not work" });
        return { status: 200, body: { ok, text } };
      },
    },
  ];
}
