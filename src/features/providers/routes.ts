import { z } from "zod";
import { Attempts } from "../../core/attempts.ts";
import { DEMO_MODEL } from "../../core/providers/catalog.ts";
import { adminPostRoute, type FeatureRoute, getRoute } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import type { Keyring } from "./keyring.ts";
import { type ProviderSources, shownModels, shownProviders } from "./providers.ts";
import { keyProblem, nameOf } from "./stored-keys.ts";

type Host = Pick<FeatureHost, "providers" | "usualModel" | "tryKey" | "hideIn" | "audit"> & {
  readonly runtime: Pick<FeatureHost["runtime"], "clock">;
};

interface Sources extends Omit<ProviderSources, "stored"> {
  readonly keyring: Pick<Keyring, "stored" | "problem" | "set" | "remove">;
}

const idSchema = z.object({ id: z.string().max(200) });
/** Trimmed, since pasted keys often end with a line break. */
const keySchema = idSchema.extend({ key: z.string().max(10_000).trim() });
const testSchema = idSchema.extend({ key: z.string().max(10_000).trim().optional() });
const NONE = { status: 404, body: { error: "There is no such provider." } };
const WITHOUT_KEY = { status: 409, body: { error: "It has no key to test." } };
/** Maximum number of tests per person in this time, in milliseconds, since each sends a request to a provider. */
const TESTS = { most: 10, everyMs: 60_000 };
const TOO_MANY = { status: 429, body: { error: "Too many tests. Wait a minute." } };

/**
 * Routes of model providers: anyone who may read the page sees which have a key; admins set, test and remove keys. Keys
 * are never sent out.
 */
export function providerRoutes(host: Host, sources: Sources): readonly FeatureRoute[] {
  const { providers, usualModel, hideIn } = host;
  const { keyring } = sources;
  const shown = () => shownProviders(providers(), { ...sources, stored: keyring.stored() });
  return [
    getRoute("/list", async ({ role }) => {
      const mayChange = role === "admin";
      const rows = mayChange ? shown() : shown().map(withoutHint);
      const model = usualModel();
      const answers = { model, isDemo: model === DEMO_MODEL };
      return { status: 200, body: { rows: hideIn(rows), answers, problem: keyring.problem(), mayChange } };
    }),
    getRoute("/models", async ({ query }) => {
      const found = shownModels(query.get("provider") ?? "", providers());
      return found === null ? NONE : { status: 200, body: hideIn(found) };
    }),
    adminPostRoute("/test", testing(host, shown)),
    ...changes(host, keyring),
  ];
}

/** Only admins see the last characters of a key. */
function withoutHint<T extends ReturnType<typeof shownProviders>[number]>(provider: T): T {
  return { ...provider, stored: provider.stored === null ? null : { ...provider.stored, hint: "" } };
}

/** Tests a provider's current key, or the typed one. */
function testing(
  { tryKey, hideIn, audit, runtime }: Host,
  shown: () => ReturnType<typeof shownProviders>,
): FeatureRoute["handle"] {
  const tests = new Attempts(runtime.clock, TESTS.everyMs);
  return async ({ body, by }) => {
    const asked = testSchema.safeParse(body).data;
    const found = shown().find(({ id }) => id === asked?.id);
    if (found === undefined) return NONE;
    const key = asked?.key ?? "";
    if (key === "" && !found.isConfigured) return WITHOUT_KEY;
    if (key !== "" && keyProblem(key) !== null) return { status: 200, body: { ok: false, text: keyProblem(key) } };
    if (tests.waitS(by, TESTS.most) > 0) return TOO_MANY;
    tests.add(by);
    const { ok, text } = hideIn(await (key === "" ? tryKey(found.id) : tryKey(found.id, key)));
    await audit({ by, act: "provider.tested", about: found.name, details: ok ? "it works" : "it does not work" });
    return { status: 200, body: { ok, text: key === "" ? text : text.replaceAll(key, "[key]") } };
  };
}

function changes({ audit }: Host, keyring: Sources["keyring"]): readonly FeatureRoute[] {
  return [
    adminPostRoute("/key", async ({ body, by }) => {
      const asked = keySchema.safeParse(body).data;
      if (asked === undefined) return NONE;
      const problem = await keyring.set({ provider: asked.id, key: asked.key, by });
      if (problem !== null) return { status: 409, body: { error: problem } };
      await audit({ by, act: "provider.key_set", about: nameOf(asked.id) });
      return { status: 200, body: {} };
    }),
    adminPostRoute("/key/remove", async ({ body, by }) => {
      const asked = idSchema.safeParse(body).data;
      if (asked === undefined || !(await keyring.remove(asked.id)))
        return { status: 404, body: { error: "No key is stored for it." } };
      await audit({ by, act: "provider.key_removed", about: nameOf(asked.id) });
      return { status: 200, body: {} };
    }),
  ];
}
