import type { PageAgents } from "./agents.ts";
import { type ChannelConfigs, createChannelConfigs } from "./channel-config.ts";
import { checkModels } from "./cli/doctor/check-models.ts";
import { ineffectiveSettings } from "./config/ineffective-settings.ts";
import type { Config } from "./config.ts";
import type { Log } from "./core/protocol/log.ts";
import type { Runtime } from "./core/protocol/runtime.ts";
import { DEMO_MODEL, defaultModelFor } from "./core/providers/catalog.ts";
import { type HoldersOf, soleKeyHolder } from "./core/providers/concurrency/key-holders.ts";
import type { ListingRegistry } from "./core/providers/provider.ts";
import { type LiveProviders, liveProviders } from "./core/providers/registry/live-providers.ts";
import { createProviderRegistry } from "./core/providers/registry/registry.ts";

/** What can be derived from the settings alone. */
export interface Prepared {
  readonly registry: ListingRegistry;
  readonly providers: LiveProviders;
  /** The default model, as `provider/model`, given the current keys. */
  readonly model: () => string;
  readonly channelConfigs: ChannelConfigs;
  /** Messages for the operator. */
  readonly problems: readonly string[];
}

interface PrepareScope {
  readonly runtime: Runtime;
  readonly log: Log;
  readonly pageAgents: PageAgents;
  /** State shared between processes; null if this is the only one. */
  readonly shared: { readonly holdersOf: HoldersOf } | null;
}

export function prepare(config: Config, { runtime, log, pageAgents, shared }: PrepareScope): Prepared {
  const providers = liveProviders(config.providers, config.providerRegions);
  const holdersOf = shared?.holdersOf ?? soleKeyHolder;
  const registry = createProviderRegistry({ settings: providers.settings, runtime, log, holdersOf });
  const model = usualModel(config.query, registry, providers);
  const channelConfigs = createChannelConfigs(config, model, pageAgents);
  return { registry, providers, model, channelConfigs, problems: channelConfigs.problems };
}

function usualModel(query: Config["query"], registry: ListingRegistry, providers: LiveProviders): () => string {
  let chosen: { readonly model: string; readonly by: number } | null = null;
  return () => {
    if (query.model !== null) return query.model;
    const by = providers.version();
    if (chosen === null || chosen.by !== by) chosen = { model: defaultModelFor(registry.available()), by };
    return chosen.model;
  };
}

/** Lines for the operator's terminal: the model that answers, or what it lacks. */
export function modelLines(config: Config, { providers, model: now, channelConfigs }: Prepared): string[] {
  const model = now();
  const warnings = ineffectiveSettings(config, channelConfigs.agents, model).map((line) => `⚠ ${line}`);
  if (config.query.model === null && model === DEMO_MODEL) {
    return [
      ...warnings,
      "⚠ No provider has a key, so the scripted demo model answers. Set one, for example in ANTHROPIC_API_KEY, or on the page.",
    ];
  }
  const problems = checkModels({ ...config, providers: providers.settings }).filter(({ ok }) => !ok);
  return [...warnings, ...(problems.length === 0 ? [`✓ Model: ${model}`] : problems.map(({ text }) => `⚠ ${text}`))];
}
