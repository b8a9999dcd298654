import { CATALOG } from "../../core/providers/catalog.ts";
import { knownModels, knownProvider, modelFacts } from "../../core/providers/models/models.ts";
import { isLocal } from "../../core/providers/registry.ts";
import type { FeatureHost, GivenSettings } from "../../feature.ts";

/** A provider as the page shows it; its key is not in it. */
interface ShownProvider {
  readonly id: string;
  readonly name: string;
  /** Where its key is from, as people read it; null: it has none. */
  readonly keyFrom: string | null;
  readonly keyRequired: boolean;
  /** The variable that a key goes into. */
  readonly keyVariable: string | null;
  /** It has a key, or an address of the operator's. */
  readonly isConfigured: boolean;
  /** How many models have known figures. */
  readonly models: number;
}

/** A model as the page shows it; null: unknown. */
interface ShownModel {
  readonly id: string;
  /** Tokens. */
  readonly contextWindow: number | null;
  /** US dollars per million tokens. */
  readonly price: { readonly input: number; readonly output: number } | null;
}

export type ProviderSources = Pick<GivenSettings, "environment" | "fileName">;

/** The catalogue in its order, then the operator's own. */
export function shownProviders(providers: FeatureHost["providers"], sources: ProviderSources): ShownProvider[] {
  return idsOf(providers).map((id) => {
    const entry = CATALOG.find((each) => each.id === id);
    const { apiKey, baseUrl } = providers[id] ?? {};
    const keyVariable = entry?.keyVariable ?? null;
    const isInEnvironment = keyVariable !== null && sources.environment[keyVariable] !== undefined;
    return {
      id,
      name: entry?.name ?? id,
      keyFrom: apiKey === undefined ? null : isInEnvironment ? keyVariable : sources.fileName,
      keyRequired: entry?.keyRequired ?? false,
      keyVariable,
      isConfigured: (apiKey ?? baseUrl) !== undefined,
      models: modelIds(id, providers).length,
    };
  });
}

/** Null: there is no such provider. `why` says why no figures are known, where that is known. */
export function shownModels(
  id: string,
  providers: FeatureHost["providers"],
): { readonly models: readonly ShownModel[]; readonly why: string | null } | null {
  if (!idsOf(providers).includes(id)) return null;
  const models = modelIds(id, providers).map((model): ShownModel => {
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

function idsOf(providers: FeatureHost["providers"]): string[] {
  return [...new Set([...CATALOG.map(({ id }) => id), ...Object.keys(providers)])];
}

function modelIds(id: string, providers: FeatureHost["providers"]): string[] {
  return [...new Set([...Object.keys(providers[id]?.models ?? {}), ...knownModels(id)])];
}
