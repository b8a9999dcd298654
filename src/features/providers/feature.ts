import { z } from "zod";
import { secret } from "../../config/fields.ts";
import { DEMO_MODEL } from "../../core/providers/catalog.ts";
import type { ConfiguredFeature, Feature, FeatureRequest, GivenSettings } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { readSealingKey } from "../../tools/secrets/sealing-key.ts";

const environment = {
  DECKHAND_SECRET_KEY: secret(
    z.string().exactOptional(),
    "The key that encrypts stored secrets: provider keys set on the page, and sign-ins to MCP servers (docs/security.md): 32 bytes, in base64 or hexadecimal. Without it, a file in DECKHAND_HOME holds one.",
    "kQ5r…, from `openssl rand -base64 32`",
  ),
};

/**
 * Model providers on the page, and the keys that neither the environment nor the settings file sets: encrypted
 * (src/tools/secrets/sealed.ts) in the database (store.ts), decrypted by keyring.ts, and used from the next call on (core's
 * live-providers.ts).
 */
export const providersFeature: Feature = { name: "providers", settings: { environment }, configure };

function configure(given: GivenSettings): ConfiguredFeature {
  const { DECKHAND_SECRET_KEY: written } = z.object(environment).parse(given.environment);
  const sealing = written === undefined ? null : readSealingKey(written);
  if (written !== undefined && sealing === null) {
    const problem =
      "DECKHAND_SECRET_KEY: must be 32 bytes in base64 or hexadecimal. Generate one with: openssl rand -base64 32";
    return { problems: [problem], secrets: [written] };
  }
  return {
    problems: [],
    secrets: written === undefined ? [] : [written],
    storedKeys: async ({ runtime, ...host }) => {
      const { openKeys } = await import("./stored-keys.ts");
      return openKeys({ ...host, clock: runtime.clock, given: sealing });
    },
    open: async (host) => {
      const [{ openKeyring }, { providerRoutes }] = await Promise.all([import("./keyring.ts"), import("./routes.ts")]);
      const watchers: (() => void)[] = [];
      const giveKeys: FeatureHost["giveKeys"] = (keys) => {
        host.giveKeys(keys);
        for (const changed of watchers) changed();
      };
      const keyring = await openKeyring({ ...host, giveKeys }, sealing);
      const routes = providerRoutes(host, { ...given, keyring }).map((route) => ({
        ...route,
        // The command line can change keys beside a running process, whose file watcher notices only after a second.
        handle: async (request: FeatureRequest) => {
          await keyring.reload();
          return route.handle(request);
        },
      }));
      return {
        routes,
        panel: { title: "Model", lines: () => demoLines(host), watch: (changed) => watchers.push(changed) },
        start: keyring.follow,
      };
    },
  };
}

/** Explains on the page why the answers come from the demo. */
function demoLines({ usualModel }: Pick<FeatureHost, "usualModel">) {
  if (usualModel() !== DEMO_MODEL) return [];
  return [
    {
      line: "⚠ A scripted demo answers, not an AI. Set a provider's key under [Providers](#/providers).",
      nextAt: null,
    },
  ];
}
