import { loadAgents } from "../agents.ts";
import type { Config } from "../config/resolve.ts";
import { unheededSettings } from "../config/unheeded-settings.ts";
import { reasonOf } from "../core/protocol/explain.ts";
import { DEMO_PROVIDER, defaultModelFor } from "../core/providers/catalog.ts";
import { modelSentence } from "../core/providers/models/model-words.ts";
import type { ListingRegistry } from "../core/providers/provider.ts";
import { createProviderRegistry } from "../core/providers/registry.ts";
import { createLogger } from "../operations/logging.ts";
import { systemRuntime } from "../runtime.ts";
import type { Finding } from "./checks.ts";

/** What is known of the configured models, and whether their providers, which are asked, list them. */
export async function checkKnownModels({ query, providers }: Config): Promise<Finding[]> {
  const log = createLogger("silent", []);
  const registry = createProviderRegistry({ settings: providers, runtime: systemRuntime(), log });
  const { model, fallbackModel } = query;
  const refs = [
    model ?? defaultModelFor(registry.available()),
    ...(fallbackModel === undefined ? [] : [fallbackModel]),
  ];
  const usable = refs.filter(
    (ref) => registry.available().includes(providerOf(ref)) && providerOf(ref) !== DEMO_PROVIDER,
  );
  return Promise.all(usable.map((ref) => checkKnownModel(ref, registry)));
}

async function checkKnownModel(ref: string, registry: ListingRegistry): Promise<Finding> {
  const list = await registry.list(providerOf(ref));
  const resolved = await registry.resolve(ref);
  const { name } = resolved.provider;
  const known = `${ref}: ${modelSentence(resolved)}`;
  if (list.type === "listed") {
    const isListed = list.models.some(({ id }) => id === resolved.model);
    return {
      ok: true,
      text: `${known} ${name} lists ${list.models.length} models, ${isListed ? "this among them" : "none of this name"}.`,
    };
  }
  if (list.error.code === "auth") return { ok: false, text: reasonOf(list.error) };
  return { ok: true, text: `${known} ${name} did not list its models now.` };
}

/** Settings that change nothing, for the operator to read. */
export function unheededIn(config: Config): string[] {
  const withKey = Object.entries(config.providers).flatMap(([id, { apiKey }]) => (apiKey === undefined ? [] : [id]));
  return unheededSettings(config, loadAgents(config).byName, defaultModelFor(withKey));
}

function providerOf(ref: string): string {
  return ref.slice(0, ref.indexOf("/"));
}
