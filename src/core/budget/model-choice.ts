import type { QueryConfig } from "../agents/query-config.ts";
import { ProviderError } from "../protocol/errors.ts";
import { explain } from "../protocol/explain.ts";
import { CATALOG, DEMO_PROVIDER } from "../providers/catalog.ts";
import { modelSentence, modelWords } from "../providers/models/model-text.ts";
import { knownModels, knownProvider } from "../providers/models/models.ts";
import type { ListingRegistry, ResolvedModel } from "../providers/provider.ts";
import type { ProviderSettings } from "../providers/registry/registry.ts";
import { priceUnknown } from "./budget-text.ts";
import { type BudgetSettings, dollarLimit } from "./limits.ts";

/** The models that people can choose from. */
export interface ModelChoice {
  /** The models of usable providers, as listed by them and as known; other models can be used too. */
  list(): Promise<readonly ModelOffer[]>;
  /** What is known of a model, and since when, in words. */
  about(ref: string): Promise<string>;
  /** Why a model cannot be used, in words; null if it can. Asks no provider. */
  problemWith(ref: string, config?: Pick<QueryConfig, "maxBudgetUsd">): Promise<string | null>;
  /** Size of the model's context window in tokens; null if the model cannot be used. */
  windowOf(config: Pick<QueryConfig, "model" | "contextWindow">): Promise<number | null>;
}

export interface ModelOffer {
  /** `provider/model`. */
  readonly ref: string;
  /** `200,000 tokens · $3 in, $15 out per million`. */
  readonly about: string;
}

type Settings = Readonly<Record<string, ProviderSettings>>;

export function createModelChoice(registry: ListingRegistry, settings: Settings, budgets: BudgetSettings): ModelChoice {
  const resolved = async (ref: string): Promise<ResolvedModel | ProviderError> => {
    try {
      return await registry.resolve(ref);
    } catch (error) {
      if (error instanceof ProviderError) return error;
      throw error;
    }
  };
  return {
    async about(ref) {
      const found = await resolved(ref);
      return found instanceof ProviderError ? "" : modelSentence(found);
    },
    async list() {
      const providers = providersOf(registry, settings);
      const byProvider = await Promise.all(providers.map((id) => modelsOf(id, registry, settings)));
      const offer = async (ref: string): Promise<ModelOffer> => {
        const found = await resolved(ref);
        return { ref, about: found instanceof ProviderError ? "" : modelWords(found.facts) };
      };
      return Promise.all(inTurns(byProvider).map(offer));
    },
    async problemWith(ref, { maxBudgetUsd } = {}) {
      const found = await resolved(ref);
      if (found instanceof ProviderError) {
        const { code, detail, message } = found;
        if (code !== "unknown_provider") return explain(found);
        return `I cannot use \`${ref}\`: ${detail["reason"] ?? message}.`;
      }
      const limits = maxBudgetUsd === undefined ? budgets : { ...budgets, runUsd: maxBudgetUsd };
      const scope = dollarLimit(limits, { isJob: false });
      return scope === null || found.facts.price !== null ? null : priceUnknown(ref, scope);
    },
    async windowOf({ model, contextWindow }) {
      if (contextWindow !== undefined) return contextWindow;
      const found = await resolved(model);
      return found instanceof ProviderError ? null : found.facts.contextWindow;
    },
  };
}

/** Providers set up by the operator and servers on this machine, which need no setting; the demo if none is set up. */
function providersOf(registry: ListingRegistry, settings: Settings): readonly string[] {
  const usable = registry.available();
  const real = usable.filter((id) => id !== DEMO_PROVIDER && (id in settings || knownProvider(id)?.local === true));
  return real.some((id) => id in settings) ? real : [...real, DEMO_PROVIDER];
}

/** The default model and the operator's own first, then what the provider lists, or what is known if it lists none. */
async function modelsOf(id: string, registry: ListingRegistry, settings: Settings) {
  const usual = CATALOG.find((entry) => entry.id === id)?.defaultModel ?? null;
  const own = Object.keys(settings[id]?.models ?? {});
  const known = knownModels(id);
  const list = id === DEMO_PROVIDER ? null : await registry.list(id);
  const listed = list?.type === "listed" ? list.models.map((model) => model.id) : [];
  const there = listed.length === 0 ? known : [...known.filter((model) => listed.includes(model)), ...listed];
  const all = new Set([...(usual === null ? [] : [usual]), ...own, ...there]);
  return [...all].map((model) => `${id}/${model}`);
}

/** Alternates between the lists, so that no provider's models come only after all of another's. */
function inTurns(lists: readonly (readonly string[])[]): string[] {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
