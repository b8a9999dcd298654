import type { ModelFacts, ModelInfo, Price } from "../provider.ts";
import known from "./known-models.json" with { type: "json" };

/** What is assumed of a model that nobody tells of: a small one, whose cost is unknown rather than 0. */
export const UNKNOWN_MODEL: ModelFacts = {
  contextWindow: 128_000,
  maxOutputTokens: 8_000,
  price: null,
  isAssumed: true,
};

/** A model in the data. `scripts/gates/models.ts` holds the data to this form. */
export interface KnownModel {
  /** Tokens that the model reads at once. */
  readonly window: number;
  /** Where longer prompts cost more: tokens up to which the price holds. */
  readonly flatTo?: number;
  /** Most tokens of one answer. */
  readonly output: number;
  /** US dollars per million tokens: input, output and, where they differ, cache read and write. Null: unknown. */
  readonly usd: readonly number[] | null;
  /** False: a sampling temperature is refused. */
  readonly temperature?: boolean;
  /** What to know of the price. */
  readonly note?: string;
}

/** What is known of a provider's models: a list, or the words in place of one. */
export interface KnownProvider {
  /** The vendor's page of prices. */
  readonly source?: string;
  /** The published list that the figures are from. */
  readonly list?: string;
  /** Day of that list, `2026-11-10`. */
  readonly asOf?: string;
  /** Newest first. By the provider's own name of the model. */
  readonly models?: Readonly<Record<string, KnownModel>>;
  /** It serves the models of another provider under their names. */
  readonly as?: string;
  /** Its models run on the operator's machines and cost nothing. */
  readonly local?: boolean;
  /** Why nothing is known. */
  readonly unknown?: string;
}

const PROVIDERS: Readonly<Record<string, KnownProvider>> = known;

/** The provider's list; where it serves another's models, that one's. */
export function knownProvider(id: string): KnownProvider | null {
  const own = PROVIDERS[id];
  if (own?.as !== undefined) return PROVIDERS[own.as] ?? null;
  return own ?? null;
}

/** By the provider's own names. */
export function knownModels(provider: string): readonly string[] {
  return Object.keys(knownProvider(provider)?.models ?? {});
}

/** `-20251001` (Anthropic) or `-2026-09-29` (OpenAI): a snapshot costs what its model costs. */
const SNAPSHOT = /-\d{4}-?\d{2}-?\d{2}$/;

export function knownModel(provider: string, model: string): KnownModel | null {
  const models = knownProvider(provider)?.models ?? {};
  return models[model] ?? models[model.replace(SNAPSHOT, "")] ?? (provider === "bedrock" ? onBedrock(model) : null);
}

/** `us.`, `eu.`, `global.`: where a model on Bedrock runs; `-20251001-v1:0`: its version there. */
const BEDROCK_REGION = /^[a-z-]+\.(?=[a-z0-9]+\.)/;
const BEDROCK_VERSION = /(?:-\d{8})?(?:-v\d+(?::\d+)?)?$/;

/** A model whose region is not listed: as the same model elsewhere, at the dearest of its prices; prices differ little. */
function onBedrock(model: string): KnownModel | null {
  const plain = (id: string) => id.replace(BEDROCK_REGION, "").replace(BEDROCK_VERSION, "");
  const kin = Object.entries(knownProvider("bedrock")?.models ?? {}).filter(([id]) => plain(id) === plain(model));
  const byPrice = kin.map(([, each]) => each).toSorted((one, other) => (other.usd?.[0] ?? 0) - (one.usd?.[0] ?? 0));
  return byPrice[0] ?? null;
}

/** What the operator says of a model; what is left out stays as it is known. */
export interface ModelOverride {
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Cache prices that are not given are the input price. */
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
}

export interface ModelSources {
  readonly override?: ModelOverride | undefined;
  /** What the provider itself says, as far as it has been asked. */
  readonly listed?: ModelInfo | undefined;
  /** It runs on the operator's machines. */
  readonly isLocal?: boolean;
}

const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The operator's word goes before the data, the data before what the provider says. */
export function modelFacts(
  provider: string,
  model: string,
  { override, listed, isLocal }: ModelSources = {},
): ModelFacts {
  const { price, ...limits } = override ?? {};
  const found = knownModel(provider, model);
  const { isAssumed, ...facts } = found === null ? { ...UNKNOWN_MODEL, ...limitsOf(listed) } : factsOf(found);
  const isStillAssumed =
    isAssumed === true && listed?.contextWindow === undefined && limits.contextWindow === undefined;
  const ownPrice = price === undefined ? null : { cacheRead: price.input, cacheWrite: price.input, ...price };
  return {
    ...facts,
    ...limits,
    price: ownPrice ?? facts.price ?? listed?.price ?? (isLocal === true ? FREE : null),
    ...(isStillAssumed ? { isAssumed } : {}),
  };
}

function limitsOf({ contextWindow, maxOutputTokens }: Omit<ModelInfo, "id"> = {}): Partial<ModelFacts> {
  return {
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
  };
}

/** The window ends where longer prompts cost more, so that the one price is always right; settings may widen it. */
function factsOf({ window, flatTo, output, usd, temperature }: KnownModel): ModelFacts {
  const [input = 0, out = 0, cacheRead = input, cacheWrite = input] = usd ?? [];
  return {
    contextWindow: flatTo ?? window,
    maxOutputTokens: output,
    price: usd === null ? null : { input, output: out, cacheRead, cacheWrite },
    ...(temperature === false ? { takesTemperature: false } : {}),
  };
}
