import { CATALOG } from "../../core/providers/catalog.ts";
import { knownModels, knownProvider, modelFacts } from "../../core/providers/models/models.ts";
import type { SetProvider } from "../../core/providers/registry/live-providers.ts";
import { isLocal } from "../../core/providers/registry/registry.ts";
import type { GivenSettings, TeamModel, TeamProvider } from "../../feature.ts";
import type { StoredKey } from "./stored-keys.ts";

export interface ProviderSources extends Pick<GivenSettings, "environment" | "fileName"> {
  readonly stored: readonly StoredKey[];
}

type Providers = Readonly<Record<string, SetProvider>>;

/** The catalogue in its order, followed by the operator's own providers. */
export function shownProviders(providers: Providers, sources: ProviderSources): TeamProvider[] {
  return idsOf(providers).map((id) => {
    const entry = CATALOG.find((each) => each.id === id);
    const { key = null, baseUrl } = providers[id] ?? {};
    const keyVariable = entry?.keyVariable ?? null;
    const isInEnvironment = keyVariable !== null && sources.environment[keyVariable] !== undefined;
    return {
      id,
      name: entry?.name ?? id,
      keyFrom: key !== "given" ? null : isInEnvironment ? keyVariable : sources.fileName,
      stored: storedOf(id, sources.stored, key === "stored"),
      keyRequired: entry?.keyRequired ?? false,
      keyVariable,
      isConfigured: key !== null || baseUrl !== undefined,
      models: modelIds(id, providers).length,
    };
  });
}

/** Null if there is no such provider. `why` explains missing figures, if a reason is known. */
export function shownModels(
  id: string,
  providers: Providers,
): { readonly models: readonly TeamModel[]; readonly why: string | null } | null {
  if (!idsOf(providers).includes(id)) return null;
  const models = modelIds(id, providers).map((model): TeamModel => {
    const override = providers[id]?.models?.[model];
    const facts = modelFacts(id, model, { override, isLocal: isLocal(id, providers[id]) });
    return {
      id: model,
      contextWindow: facts.isAssumed === true ? null : facts.contextWindow,
      price: facts.price === null ? null : { input: facts.price.input, output: facts.price.output },
    };
  });
  return { models, why: knownProvider(id)?.unknown ?? null };
}

function storedOf(id: string, stored: readonly StoredKey[], isUsed: boolean): TeamProvider["stored"] {
  const found = stored.find(({ provider }) => provider === id);
  if (found === undefined) return null;
  const { provider: _provider, ...key } = found;
  return { ...key, isUsed };
}

function idsOf(providers: Providers): string[] {
  return [...new Set([...CATALOG.map(({ id }) => id), ...Object.keys(providers)])];
}

function modelIds(id: string, providers: Providers): string[] {
  return [...new Set([...Object.keys(providers[id]?.models ?? {}), ...knownModels(id)])];
}
