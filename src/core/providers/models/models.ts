import type { ModelFacts, ModelInfo, Price } from "../provider.ts";
import known from "./known-models.json" with { type: "json" };

/** Assumed for a model without any data: a small one, whose cost is unknown rather than 0. */
export const UNKNOWN_MODEL: ModelFacts = {
  contextWindow: 128_000,
  maxOutputTokens: 8_000,
  price: null,
  isAssumed: true,
};

/** A model in the data, whose form `scripts/gates/models.ts` checks. */
export interface KnownModel {
  /** Size of the context window, in tokens. */
  readonly window: number;
  /** If longer prompts cost more: the number of tokens up to which the price applies. */
  readonly flatTo?: number;
  /** Maximum length of an answer, in tokens. */
  readonly output: number;
  /** US dollars per million tokens: input, output and, if different, cache read and write. Null if unknown. */
  readonly usd: readonly number[] | null;
  /** False if a sampling temperature is rejected. */
  readonly temperature?: boolean;
  /** A remark about the price. */
  readonly note?: string;
}

/** Data about a provider's models: a list, or the reason why there is none. */
export interface KnownProvider {
  /** The vendor's price page. */
  readonly source?: string;
  /** The published list that the figures come from. */
  readonly list?: string;
  /** Date of that list, `2026-11-10`. */
  readonly asOf?: string;
  /** By the provider's own name of the model, newest first. */
  readonly models?: Readonly<Record<string, KnownModel>>;
  /** The provider whose models it serves under the same names. */
  readonly as?: string;
  /** Whether its models run on the operator's machines and cost nothing. */
  readonly local?: boolean;
  /** Why there are no data. */
  readonly unknown?: string;
}

const PROVIDERS: Readonly<Record<string, KnownProvider>> = known;

/** A provider's data, or those of the provider whose models it serves. */
export function knownProvider(id: string): KnownProvider | null {
  const own = PROVIDERS[id];
  if (own?.as !== undefined) return PROVIDERS[own.as] ?? null;
  return own ?? null;
}

/** By the provider's own names. */
export function knownModels(provider: string): readonly string[] {
  return Object.keys(knownProvider(provider)?.models ?? {});
}

/** `-20251001` (Anthropic) or `-2026-09-29` (OpenAI); a snapshot costs the same as its model. */
const SNAPSHOT = /-\d{4}-?\d{2}-?\d{2}$/;

export function knownModel(provider: string, model: string): KnownModel | null {
  const models = knownProvider(provider)?.models ?? {};
  return models[model] ?? models[model.replace(SNAPSHOT, "")] ?? (provider === "bedrock" ? onBedrock(model) : null);
}

/** `us.`, `eu.`, `global.`: where a model runs on Bedrock; `-20251001-v1:0`: its version there. */
const BEDROCK_REGION = /^[a-z-]+\.(?=[a-z0-9]+\.)/;
const BEDROCK_VERSION = /(?:-\d{8})?(?:-v\d+(?::\d+)?)?$/;

/** A model in a region that is not listed: the data of the same model elsewhere, at its highest price. */
function onBedrock(model: string): KnownModel | null {
  const plain = (id: string) => id.replace(BEDROCK_REGION, "").replace(BEDROCK_VERSION, "");
  const kin = Object.entries(knownProvider("bedrock")?.models ?? {}).filter(([id]) => plain(id) === plain(model));
  const byPrice = kin.map(([, each]) => each).toSorted((one, other) => (other.usd?.[0] ?? 0) - (one.usd?.[0] ?? 0));
  return byPrice[0] ?? null;
}

/** The operator's data about a model; omitted facts keep their known values. */
export interface ModelOverride {
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Omitted cache prices equal the input price. */
  readonly price?: {
    readonly input: number;
    readonly output: number;
    readonly cacheRead?: number;
    readonly cacheWrite?: number;
  };
}

export interface ModelSources {
  readonly override?: ModelOverride | undefined;
  /** The provider's own entry, if its list has been requested. */
  readonly listed?: ModelInfo | undefined;
  /** Whether the model runs on the operator's machines. */
  readonly isLocal?: boolean;
}

const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The operator's data win over the shipped data, and these over the provider's list. */
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

/** The window ends where longer prompts cost more, so that the single price is always right. Settings may widen it. */
function factsOf({ window, flatTo, output, usd, temperature }: KnownModel): ModelFacts {
  const [input = 0, out = 0, cacheRead = input, cacheWrite = input] = usd ?? [];
  return {
    contextWindow: flatTo ?? window,
    maxOutputTokens: output,
    price: usd === null ? null : { input, output: out, cacheRead, cacheWrite },
    ...(temperature === false ? { takesTemperature: false } : {}),
  };
}
