import { suggestion } from "../config/problems.ts";
import type { Config } from "../config/resolve.ts";
import { baseUrlVariable, CATALOG, defaultModelFor, REGION } from "../core/providers/catalog.ts";
import { bad, type Finding, good } from "./checks.ts";

/** A model, `provider/model`, and the setting that names it. */
interface NamedModel {
  readonly setting: string;
  readonly ref: string;
}

/** Whether the provider of each model that settings name has what it needs; nothing is sent to it. */
export function checkModels(config: Config): Finding[] {
  const withKey = Object.entries(config.providers).flatMap(([id, { apiKey }]) => (apiKey === undefined ? [] : [id]));
  const usual = good(`model: ${defaultModelFor(withKey)}, since DECKHAND_MODEL is not set`);
  const named = namedModels(config).map((model) => checkModel(model, config));
  return config.query.model === null ? [usual, ...named] : named;
}

function namedModels({ query, fastModel, channels, agents, managedAgents, features }: Config): NamedModel[] {
  const { model, fallbackModel, agentDefinition } = query;
  return [
    ...modelsIn("", { model, fastModel, fallbackModel, agentDefinition }),
    ...Object.entries(channels).flatMap(([id, channel]) => modelsIn(`channels.${id}.`, channel)),
    ...Object.entries(agents).flatMap(([name, agent]) => modelsIn(`agents.${name}.`, agent)),
    ...modelsIn("managedAgents.", managedAgents ?? {}),
    ...Object.entries(managedAgents?.presets ?? {}).flatMap(([name, preset]) =>
      modelsIn(`managedAgents.presets.${name}.`, preset),
    ),
    ...features.flatMap(({ models }) => modelsNamed(models ?? {})),
  ];
}

/** Settings that name models, wherever they stand. */
interface Naming {
  readonly model?: string | null | undefined;
  readonly fastModel?: string | undefined;
  readonly fallbackModel?: string | undefined;
  readonly managerModel?: string | undefined;
  readonly executorModel?: string | undefined;
  /** An agent's name, or its definition. */
  readonly agentDefinition?: string | { readonly model?: string | undefined } | undefined;
}

/** `beginning`: what stands before the settings' names, as `agents.auditor.`. */
function modelsIn(beginning: string, settings: Naming): NamedModel[] {
  const { model, fastModel, fallbackModel, managerModel, executorModel, agentDefinition } = settings;
  const agentModel = typeof agentDefinition === "object" ? agentDefinition.model : undefined;
  const set = { model, fastModel, fallbackModel, managerModel, executorModel, "agentDefinition.model": agentModel };
  return modelsNamed(set).map(({ setting, ref }) => ({ setting: `${beginning}${setting}`, ref }));
}

function modelsNamed(set: Readonly<Record<string, string | null | undefined>>): NamedModel[] {
  return Object.entries(set).flatMap(([setting, ref]) => (ref == null ? [] : [{ setting, ref }]));
}

function checkModel({ setting, ref }: NamedModel, { providers }: Pick<Config, "providers">): Finding {
  const id = ref.slice(0, ref.indexOf("/"));
  const settings = providers[id];
  const known = CATALOG.find((entry) => entry.id === id);
  if (id === "demo") return good(`${setting}: ${ref}, a script and no language model`);
  if (known === undefined) {
    if (settings?.baseUrl !== undefined && settings.wire !== undefined) return good(`${setting}: ${ref}`);
    const near = suggestion(
      id,
      CATALOG.map((entry) => entry.id),
    );
    if (near.startsWith(" Did you mean")) return bad(`${setting}: ${ref} names no known provider.${near}`);
    return bad(`${setting}: ${ref} names no known provider. Give \`providers.${id}\` a \`baseUrl\` and a \`wire\`.`);
  }
  if (known.keyRequired && settings?.apiKey === undefined) {
    return bad(`${setting}: ${ref} needs a key. Set ${known.keyVariable}.`);
  }
  if (known.regionVariable !== null && settings?.baseUrl === undefined && !REGION.test(settings?.region ?? "")) {
    return bad(`${setting}: ${ref} needs a region, such as eu-central-1. Set ${known.regionVariable}.`);
  }
  if (known.baseUrl === null && settings?.baseUrl === undefined) {
    return bad(`${setting}: ${ref} needs an address. Set ${baseUrlVariable(id)}.`);
  }
  return good(`${setting}: ${ref}`);
}
