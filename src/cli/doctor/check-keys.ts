import type { Config } from "../../config/resolve.ts";
import { type AppError, toAppError } from "../../core/protocol/errors.ts";
import { reasonOf } from "../../core/protocol/explain.ts";
import type { Message } from "../../core/protocol/messages.ts";
import { connectionRemedy } from "../../core/protocol/system-code.ts";
import { CATALOG, type CatalogEntry, DEMO_PROVIDER, defaultModelFor } from "../../core/providers/catalog.ts";
import type { LlmProvider, ModelInfo } from "../../core/providers/provider.ts";
import { createProviderRegistry, type ProviderSettings } from "../../core/providers/registry/registry.ts";
import { createLogger } from "../../operations/logging.ts";
import { systemRuntime } from "../../runtime.ts";
import { bad, type Finding, good, warned } from "./finding.ts";

/** Time limit for all requests to one provider. In milliseconds. */
const PROVIDER_MS = 15_000;
/** Maximum tokens of the test answer; some providers accept no lower value. */
const SHORTEST_ANSWER = 16;
/** An invalid key. A provider that lists models to it lists them to everybody. */
const NOBODYS_KEY = "not-a-key-0000000000000000";

type Settings = Config["providers"];

/** A provider, with the settings that concern it. */
interface Asked extends Pick<CatalogEntry, "id" | "name" | "keyVariable"> {
  readonly provider: LlmProvider;
  /** The provider with an invalid key; null if it works without one. */
  readonly wrongKeyProvider: LlmProvider | null;
  /** Configured models of this provider, by its own names. */
  readonly models: readonly string[];
  /** The model to test if none is configured. */
  readonly defaultModel: string | null;
  readonly signal: AbortSignal;
}

/** Tests the key of each configured provider and reports the result on one line each. */
export async function checkKeys(
  { query, providers }: Pick<Config, "query" | "providers">,
  limitMs = PROVIDER_MS,
): Promise<Finding[]> {
  const model = query.model ?? defaultModelFor(registryOf(providers).available());
  const wanted = [...new Set([model, ...(query.fallbackModel === undefined ? [] : [query.fallbackModel])])];
  const configured = Object.entries(providers).filter(
    ([id, { apiKey, baseUrl }]) =>
      (apiKey ?? baseUrl) !== undefined && (!hasAnothersKey(id) || wanted.some((ref) => ref.startsWith(`${id}/`))),
  );
  if (configured.length === 0) return [warned("no provider has a key, so none is tested")];
  return Promise.all(configured.map(([id]) => checkProvider(id, { providers, wanted, limitMs })));
}

/** Tests the key of one provider. `isGiven`: the key is from the environment or the settings file. */
export function checkKey(id: string, providers: Settings, isGiven = true): Promise<Finding> {
  return checkProvider(id, { providers, wanted: [], limitMs: PROVIDER_MS, isGiven });
}

/** Whether the key belongs to an earlier provider in the catalog that uses the same variable. */
function hasAnothersKey(id: string): boolean {
  const { keyVariable = null } = CATALOG.find((entry) => entry.id === id) ?? {};
  return keyVariable !== null && CATALOG.find((entry) => entry.keyVariable === keyVariable)?.id !== id;
}

interface Wanted {
  readonly providers: Settings;
  readonly wanted: readonly string[];
  readonly limitMs: number;
  /** True by default. */
  readonly isGiven?: boolean;
}

async function checkProvider(id: string, { providers, wanted, limitMs, isGiven = true }: Wanted): Promise<Finding> {
  const entry = CATALOG.find((each) => each.id === id);
  const name = entry?.name ?? id;
  const own = wanted.filter((ref) => ref.startsWith(`${id}/`)).map((ref) => ref.slice(id.length + 1));
  const signal = AbortSignal.timeout(limitMs);
  try {
    const asked = {
      id,
      name,
      keyVariable: isGiven ? (entry?.keyVariable ?? null) : null,
      provider: await providerOf(id, providers),
      wrongKeyProvider: await providerWithWrongKey(id, providers),
      models: own,
      defaultModel: entry?.defaultModel ?? null,
      signal,
    };
    return good(await trial(asked));
  } catch (error) {
    if (signal.aborted) return bad(`${name}: no answer within ${limitMs / 1_000} s.`);
    return bad(`${name}: ${whatCameBack(toAppError(error), isGiven)}`);
  }
}

/** Describes what works. Rejects with what does not. */
async function trial(asked: Asked): Promise<string> {
  const listed = await modelsOf(asked);
  const unlisted = asked.models.filter((model) => listed?.some(({ id }) => id === model) !== true);
  const tried = unlisted.length > 0 ? unlisted : await modelThatShows(asked, listed);
  for (const model of tried) await answerOf(asked, model);
  const { name, keyVariable } = asked;
  const lists = listed === null ? "it lists no models" : `it lists ${listed.length} models`;
  const answers = tried.map((model) => `, and ${model} answers`).join("");
  const key =
    asked.wrongKeyProvider === null
      ? "it answers"
      : `it accepts the key${keyVariable === null ? "" : ` (${keyVariable})`}`;
  return `${name}: ${key}; ${lists}${answers}.`;
}

/** The listed models; null if the provider has no list, or none at this address. */
async function modelsOf({ provider, signal }: Asked): Promise<readonly ModelInfo[] | null> {
  try {
    return await provider.listModels(signal);
  } catch (error) {
    const { code } = toAppError(error);
    if (!signal.aborted && (code === "unknown_model" || code === "bad_request")) return null;
    throw error;
  }
}

/** The model to test if the list says nothing about the key; empty if it does, or if no model is known. */
async function modelThatShows(
  { wrongKeyProvider, models, defaultModel, signal }: Asked,
  listed: readonly ModelInfo[] | null,
): Promise<readonly string[]> {
  if (listed !== null && (wrongKeyProvider === null || !(await listsModelsWithoutKey(wrongKeyProvider, signal))))
    return [];
  return [models[0] ?? defaultModel ?? listed?.[0]?.id ?? ""].filter((model) => model !== "");
}

async function listsModelsWithoutKey(wrongKeyProvider: LlmProvider, signal: AbortSignal): Promise<boolean> {
  try {
    await wrongKeyProvider.listModels(signal);
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function answerOf({ provider, signal }: Asked, model: string): Promise<void> {
  const messages: Message[] = [
    { id: "trial", role: "user", content: [{ type: "text", text: "Say: yes" }], createdAt: 0 },
  ];
  try {
    await provider.createMessage({ model, system: [], messages, tools: [], maxTokens: SHORTEST_ANSWER }, signal);
  } catch (error) {
    signal.throwIfAborted();
    // The model wanted to say more, or nothing; either way, key and model are right.
    if (["empty_response", "refused"].includes(toAppError(error).code)) return;
    throw error;
  }
}

function whatCameBack(error: AppError, isGiven: boolean): string {
  const { keyVariable, model, status } = error.detail;
  const http = status === undefined ? "" : ` (HTTP ${status})`;
  switch (error.code) {
    case "auth":
      return `refused${http}: it does not accept the key${keyVariable === undefined || !isGiven ? "" : `. Check ${keyVariable}`}.`;
    case "network":
      return `no network: it ${unreachable(error)}`;
    case "unknown_model":
      if (error.detail.reason !== undefined) return `it cannot serve ${model}: ${error.detail.reason}${http}.`;
      return `it does not know the model ${model}${http}. Correct \`model\` or \`fallbackModel\`.`;
    default:
      return `${reasonOf(error)}${http}`;
  }
}

/** Says of a provider that there is no connection to it, and what to do. */
export function unreachable(error: AppError): string {
  const why = connectionRemedy(error);
  return `cannot be reached${why === null ? ". Check the network or the base URL" : `: ${why}`}.`;
}

async function providerOf(id: string, providers: Settings): Promise<LlmProvider> {
  return (await registryOf(providers).resolve(`${id}/any`)).provider;
}

async function providerWithWrongKey(id: string, providers: Settings): Promise<LlmProvider | null> {
  const { apiKey, ...settings }: ProviderSettings = providers[id] ?? {};
  if (apiKey === undefined || id === DEMO_PROVIDER) return null;
  return providerOf(id, { [id]: { ...settings, apiKey: NOBODYS_KEY } });
}

export function registryOf(settings: Settings) {
  return createProviderRegistry({ settings, runtime: systemRuntime(), log: createLogger("silent", []) });
}
