import type { QueryConfig } from "../../agent/query-config.ts";
import { ProviderError } from "../../protocol/errors.ts";
import { explain } from "../../protocol/explain.ts";
import { CATALOG, DEMO_PROVIDER } from "../catalog.ts";
import type { ProviderRegistry } from "../provider.ts";
import type { ProviderSettings } from "../registry.ts";
import { MODELS } from "./models.ts";

/** Which models people can choose from. */
export interface ModelChoice {
  /** `provider/model`: the models of usable providers that something is known of; others can be used, too. */
  list(): readonly string[];
  /** Why a model cannot be used, in words; null when nothing speaks against it. Asks no provider. */
  problemWith(ref: string): Promise<string | null>;
  /** Tokens that the model reads at once; null when it cannot be used. */
  windowOf(config: Pick<QueryConfig, "model" | "contextWindow">): Promise<number | null>;
}

export function createModelChoice(
  registry: ProviderRegistry,
  settings: Readonly<Record<string, ProviderSettings>>,
): ModelChoice {
  const resolved = async (ref: string) => {
    try {
      return await registry.resolve(ref);
    } catch (error) {
      if (error instanceof ProviderError) return error;
      throw error;
    }
  };
  return {
    list() {
      const usable = registry.available();
      const real = usable.filter((id) => id !== DEMO_PROVIDER);
      const ids = real.length === 0 ? usable : real;
      const defaults = CATALOG.flatMap(({ id, defaultModel }) =>
        defaultModel === null ? [] : [`${id}/${defaultModel}`],
      );
      const own = Object.entries(settings).flatMap(([id, { models = {} }]) =>
        Object.keys(models).map((model) => `${id}/${model}`),
      );
      const all = new Set([...Object.keys(MODELS), ...defaults, ...own]);
      return [...all].filter((ref) => ids.includes(ref.slice(0, ref.indexOf("/"))));
    },
    async problemWith(ref) {
      const found = await resolved(ref);
      if (!(found instanceof ProviderError)) return null;
      const { code, detail, message } = found;
      return code === "unknown_provider" ? `I cannot use \`${ref}\`: ${detail["reason"] ?? message}.` : explain(found);
    },
    async windowOf({ model, contextWindow }) {
      if (contextWindow !== undefined) return contextWindow;
      const found = await resolved(model);
      return found instanceof ProviderError ? null : found.facts.contextWindow;
    },
  };
}
