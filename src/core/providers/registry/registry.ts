import { ProviderError } from "../../protocol/errors.ts";
import type { Log } from "../../protocol/log.ts";
import type { Runtime } from "../../protocol/runtime.ts";
import { baseUrlVariable, CATALOG, type CatalogEntry, DEMO_PROVIDER, ownEntry, REGION } from "../catalog.ts";
import { adaptiveConcurrency } from "../concurrency/adaptive-concurrency.ts";
import { type HoldersOf, soleKeyHolder } from "../concurrency/key-holders.ts";
import { createDemoProvider } from "../demo/demo-provider.ts";
import { createModelLists } from "../models/model-lists.ts";
import { knownProvider, type ModelOverride, modelFacts } from "../models/models.ts";
import type { ListingRegistry, LlmProvider } from "../provider.ts";
import type { WireName } from "../quirks.ts";
import { type Fetch, STALL_LIMITS, stallGuardedFetch } from "../stall.ts";
import type { Endpoint } from "../wire.ts";
import { bedrockWires } from "./bedrock.ts";
import { copilotWires } from "./copilot.ts";
import { createProvider } from "./provider-call.ts";
import { type ProviderConnection, singleWire, type Wires } from "./wires.ts";

export interface ProviderSettings {
  readonly apiKey?: string;
  readonly baseUrl?: string;
  /** For providers with roots by region. */
  readonly region?: string;
  /** Defines a provider of the operator's own, together with `baseUrl`; for a known one it overrides the wire. */
  readonly wire?: WireName;
  /** By the provider's own name of the model. */
  readonly models?: Readonly<Record<string, ModelOverride>>;
}

export interface RegistryOptions {
  readonly settings: Readonly<Record<string, ProviderSettings>>;
  readonly runtime: Runtime;
  readonly log: Log;
  /** The processes that use the same keys; only this one by default. */
  readonly holdersOf?: HoldersOf;
  readonly fetch?: Fetch;
}

/** How long a local model may take to load and to read the prompt before its first byte. In milliseconds. */
const SLOW_START_MS = 290_000;

export function createProviderRegistry(options: RegistryOptions): ListingRegistry {
  const { settings, runtime, holdersOf = soleKeyHolder } = options;
  const demo = createDemoProvider(runtime);
  const made = new Map<string, { readonly provider: LlmProvider; readonly by: ProviderSettings | undefined }>();
  const lists = createModelLists(runtime.clock, async (id, signal) => providerOf(id).listModels(signal));

  /** Creates the provider again if its settings have changed. Running calls keep the old one. */
  function providerOf(id: string): LlmProvider {
    if (id === DEMO_PROVIDER) return demo;
    const by = settings[id];
    const known = made.get(id);
    if (known !== undefined && known.by === by) return known.provider;
    const entry = entryOf(id, by);
    const endpoint = endpointOf(entry, by);
    const provider = adaptiveConcurrency(build(entry, endpoint, options), runtime, holdersOf(endpoint));
    made.set(id, { provider, by });
    return provider;
  }

  return {
    list: (id) => lists.of(id, settings[id]),
    async resolve(ref) {
      const slash = ref.indexOf("/");
      if (slash <= 0 || slash === ref.length - 1) throw unknownProvider(ref, "a model is named provider/model");
      const id = ref.slice(0, slash);
      const model = ref.slice(slash + 1);
      const override = settings[id]?.models?.[model];
      const sources = { override, listed: lists.known(id, model), isLocal: isLocal(id, settings[id]) };
      return { provider: providerOf(id), model, facts: modelFacts(id, model, sources) };
    },
    available() {
      const own = Object.keys(settings).filter((id) => !CATALOG.some((entry) => entry.id === id));
      const ids = [...CATALOG.map(({ id }) => id), ...own];
      return [...ids.filter((id) => isUsable(id, settings[id])), DEMO_PROVIDER];
    },
  };
}

function entryOf(id: string, settings: ProviderSettings | undefined): CatalogEntry {
  const entry = CATALOG.find((each) => each.id === id);
  if (entry !== undefined) return entry;
  if (settings?.wire === undefined) throw unknownProvider(id, `no provider is called ${id}`);
  return ownEntry(id, settings.wire);
}

/** A provider's address and key. Throws ProviderError if the settings are incomplete. */
export function endpointFor(id: string, settings: ProviderSettings | undefined): Endpoint {
  return endpointOf(entryOf(id, settings), settings);
}

function endpointOf(entry: CatalogEntry, settings: ProviderSettings = {}): Endpoint {
  const { id, name, keyVariable, quirks } = entry;
  const apiKey = settings.apiKey ?? null;
  const baseUrl = settings.baseUrl ?? rootOf(entry, settings);
  if (apiKey === null && entry.keyRequired) {
    const variable = keyVariable === null ? {} : { keyVariable };
    const detail = { provider: id, providerName: name, reason: "no key", ...variable };
    throw new ProviderError("auth", `no key for ${id}: set ${keyVariable}`, { detail });
  }
  if (baseUrl === null) throw unknownProvider(id, `${name} needs a base URL: set ${baseUrlVariable(id)}`);
  return { id, name, baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ""), apiKey, keyVariable, quirks };
}

/** No default region, because it decides where people's data go. */
function rootOf({ name, id, baseUrl, regionVariable }: CatalogEntry, { region }: ProviderSettings): string | null {
  if (baseUrl === null || regionVariable === null) return baseUrl;
  if (region === undefined || !REGION.test(region))
    throw unknownProvider(id, `${name} needs a region, such as eu-central-1: set ${regionVariable}`);
  return baseUrl.replace("{region}", region);
}

/** Whether it is the operator's own provider on this machine, or server software that people run themselves. */
export function isLocal(id: string, settings: ProviderSettings | undefined): boolean {
  if (knownProvider(id) !== null) return knownProvider(id)?.local === true;
  return settings?.baseUrl !== undefined && LOOPBACK.test(new URL(settings.baseUrl).hostname);
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function isUsable(id: string, settings: ProviderSettings | undefined): boolean {
  try {
    endpointFor(id, settings);
    return true;
  } catch (error) {
    if (error instanceof ProviderError) return false;
    throw error;
  }
}

function unknownProvider(provider: string, reason: string): ProviderError {
  return new ProviderError("unknown_provider", reason, { detail: { provider, reason } });
}

function build(entry: CatalogEntry, endpoint: Endpoint, options: RegistryOptions): LlmProvider {
  const { clock, ids } = options.runtime;
  const answerMs = endpoint.quirks.slowStart ? SLOW_START_MS : STALL_LIMITS.answerMs;
  const fetch = stallGuardedFetch(options.fetch ?? globalThis.fetch, clock, { ...STALL_LIMITS, answerMs });
  const own = options.settings[entry.id];
  const wires = wiresOf(entry.wire, { endpoint, fetch, clock, ids, log: options.log, answerMs, own });
  return createProvider({ endpoint, clock, wires, contentMs: STALL_LIMITS.contentMs });
}

function wiresOf(wire: CatalogEntry["wire"], reach: ProviderConnection): Wires {
  switch (wire) {
    case "bedrock":
      return bedrockWires(reach);
    case "copilot":
      return copilotWires(reach);
    default:
      return singleWire(wire, reach);
  }
}
