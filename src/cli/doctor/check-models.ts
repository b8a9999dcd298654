import { loadAgents } from "../../agents.ts";
import { ineffectiveSettings } from "../../config/ineffective-settings.ts";
import { similarName } from "../../config/problems.ts";
import type { Config } from "../../config/resolve.ts";
import { reasonOf } from "../../core/protocol/explain.ts";
import { baseUrlVariable, CATALOG, DEMO_PROVIDER, defaultModelFor, REGION } from "../../core/providers/catalog.ts";
import { modelSentence } from "../../core/providers/models/model-text.ts";
import type { ListingRegistry } from "../../core/providers/provider.ts";
import { registryOf, unreachable } from "./check-keys.ts";
import { bad, type Finding, good, warned } from "./finding.ts";

/** Reports what is known of the configured models, and whether their providers list them. */
export async function checkKnownModels({ query, providers }: Config): Promise<Finding[]> {
  const registry = registryOf(providers);
  const { model, fallbackModel } = query;
  const refs = [
    model ?? defaultModelFor(registry.available()),
    ...(fallbackModel === undefined ? [] : [fallbackModel]),
  ];
  const usable = refs.filter(
    (ref) => registry.available().includes(providerOf(ref)) && providerOf(ref) !== DEMO_PROVIDER,
  );
  return Promise.all(usable.map((ref) => checkKnownModel(ref, registry)));
}

async function checkKnownModel(ref: string, registry: ListingRegistry): Promise<Finding> {
  const list = await registry.list(providerOf(ref));
  const resolved = await registry.resolve(ref);
  const { name } = resolved.provider;
  const known = `${ref}: ${modelSentence(resolved)}`;
  if (list.type === "listed") {
    const isListed = list.models.some(({ id }) => id === resolved.model);
    const lists = `${known} ${name} lists ${list.models.length} models`;
    return isListed ? good(`${lists}, including this one.`) : warned(`${lists}, but not this one.`);
  }
  if (list.error.code === "auth") return bad(reasonOf(list.error));
  if (list.error.code === "network") return warned(`${known} ${name} ${unreachable(list.error)}`);
  return good(`${known} ${name} could not list its models.`);
}

/** Settings without effect, reported to the operator. */
export function ineffectiveSettingsIn(config: Config): string[] {
  return ineffectiveSettings(config, loadAgents(config).byName, defaultModelOf(config));
}

/** The model used where none is configured. */
export function defaultModelOf({ providers }: Pick<Config, "providers">): string {
  return defaultModelFor(Object.keys(providers).filter((id) => providers[id]?.apiKey !== undefined));
}

function providerOf(ref: string): string {
  return ref.slice(0, ref.indexOf("/"));
}

/** A model, as `provider/model`, and the setting that names it. */
interface NamedModel {
  readonly setting: string;
  readonly ref: string;
}

/** Checks that the provider of each configured model has what it needs. Sends nothing to it. */
export function checkModels(config: Config): Finding[] {
  const usual = good(`model: ${defaultModelOf(config)}, because DECKHAND_MODEL is not set`);
  const named = namedModels(config).map((model) => checkModel(model, config));
  return config.query.model === null ? [usual, ...named] : named;
}

function namedModels({ query, fastModel, channels, agents, features }: Config): NamedModel[] {
  const { model, fallbackModel, agentDefinition } = query;
  return [
    ...modelsIn("", { model, fastModel, fallbackModel, agentDefinition }),
    ...Object.entries(channels).flatMap(([id, channel]) => modelsIn(`channels.${id}.`, channel)),
    ...Object.entries(agents).flatMap(([name, agent]) => modelsIn(`agents.${name}.`, agent)),
    ...features.flatMap(({ models }) => modelsNamed(models ?? {})),
  ];
}

/** Settings that name models, at any level. */
interface Naming {
  readonly model?: string | null | undefined;
  readonly fastModel?: string | undefined;
  readonly fallbackModel?: string | undefined;
  /** The name of an agent, or its definition. */
  readonly agentDefinition?: string | { readonly model?: string | undefined } | undefined;
}

/** `beginning`: the path before the settings' names, such as `agents.auditor.`. */
function modelsIn(beginning: string, settings: Naming): NamedModel[] {
  const { model, fastModel, fallbackModel, agentDefinition } = settings;
  const agentModel = typeof agentDefinition === "object" ? agentDefinition.model : undefined;
  const set = { model, fastModel, fallbackModel, "agentDefinition.model": agentModel };
  return modelsNamed(set).map(({ setting, ref }) => ({ setting: `${beginning}${setting}`, ref }));
}

function modelsNamed(set: Readonly<Record<string, string | null | undefined>>): NamedModel[] {
  return Object.entries(set).flatMap(([setting, ref]) => (ref == null ? [] : [{ setting, ref }]));
}

function checkModel({ setting, ref }: NamedModel, { providers }: Pick<Config, "providers">): Finding {
  const id = providerOf(ref);
  const settings = providers[id];
  const known = CATALOG.find((entry) => entry.id === id);
  if (id === "demo") return good(`${setting}: ${ref}, a script, not a language model`);
  if (known === undefined) {
    if (settings?.baseUrl !== undefined && settings.wire !== undefined) return good(`${setting}: ${ref}`);
    const near = similarName(
      id,
      CATALOG.map((entry) => entry.id),
    );
    if (near !== null) return bad(`${setting}: ${ref} does not name a known provider.${near}`);
    return bad(
      `${setting}: ${ref} does not name a known provider. Set \`baseUrl\` and \`wire\` in \`providers.${id}\`.`,
    );
  }
  if (known.keyRequired && settings?.apiKey === undefined) {
    return bad(`${setting}: ${ref} needs a key. Set ${known.keyVariable}.`);
  }
  if (known.regionVariable !== null && settings?.baseUrl === undefined && !REGION.test(settings?.region ?? "")) {
    return bad(`${setting}: ${ref} needs a region, for example eu-central-1. Set ${known.regionVariable}.`);
  }
  if (known.baseUrl === null && settings?.baseUrl === undefined) {
    return bad(`${setting}: ${ref} needs a base URL. Set ${baseUrlVariable(id)}.`);
  }
  return good(`${setting}: ${ref}`);
}
