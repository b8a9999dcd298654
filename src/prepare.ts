import { type ChannelConfigs, createChannelConfigs } from "./channel-config.ts";
import { checkModels } from "./cli/checks.ts";
import { unheededSettings } from "./config/unheeded-settings.ts";
import type { Config } from "./config.ts";
import type { Log } from "./core/protocol/log.ts";
import type { Runtime } from "./core/protocol/runtime.ts";
import { DEMO_MODEL, defaultModelFor } from "./core/providers/catalog.ts";
import type { ListingRegistry } from "./core/providers/provider.ts";
import { createProviderRegistry } from "./core/providers/registry.ts";

/** What follows from the settings alone. */
export interface Prepared {
  readonly registry: ListingRegistry;
  /** `provider/model`: the one that answers where nothing names another. */
  readonly model: string;
  readonly channelConfigs: ChannelConfigs;
  /** Lines for the operator. */
  readonly problems: readonly string[];
}

/** Throws ConfigError where the settings name an agent that is not there. */
export function prepare(config: Config, { runtime, log }: { readonly runtime: Runtime; readonly log: Log }): Prepared {
  const registry = createProviderRegistry({ settings: config.providers, runtime, log });
  const model = config.query.model ?? defaultModelFor(registry.available());
  const channelConfigs = createChannelConfigs(config, model);
  const problems = [...channelConfigs.problems, ...unheededSettings(config, channelConfigs.agents, model)];
  return { registry, model, channelConfigs, problems };
}

/** Which model answers, or what it lacks, for the operator's terminal. */
export function modelLines(config: Config, model: string): string[] {
  if (config.query.model === null && model === DEMO_MODEL) {
    return ["⚠ No provider has a key: the scripted demo model answers. Set e.g. ANTHROPIC_API_KEY."];
  }
  const problems = checkModels(config).filter(({ ok }) => !ok);
  return problems.length === 0 ? [`✓ Model: ${model}`] : problems.map(({ text }) => `⚠ ${text}`);
}
