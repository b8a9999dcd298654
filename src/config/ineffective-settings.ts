import type { AgentDefinition } from "../core/agents/query-config.ts";
import { modelFacts } from "../core/providers/models/models.ts";
import { SHARED_TOOLS } from "../core/skills/skill-format/tool-names.ts";
import { similarName } from "./problems.ts";
import type { Config } from "./resolve.ts";

/** Settings without effect, one line each for the operator. */
export function ineffectiveSettings(
  { query, channels }: Pick<Config, "query" | "channels">,
  agents: ReadonlyMap<string, AgentDefinition>,
  defaultModel: string,
): string[] {
  const general = query.model ?? defaultModel;
  const temperatures = [
    { setting: "temperature", temperature: query.temperature, model: general },
    ...Object.entries(channels).map(([channel, { temperature, model }]) => ({
      setting: `channels.${channel}.temperature`,
      temperature,
      model: model ?? general,
    })),
    ...[...agents].map(([name, { temperature, model }]) => ({
      setting: `agents.${name}.temperature`,
      temperature,
      model: model ?? general,
    })),
  ];
  return temperatures.flatMap(({ setting, temperature, model }) =>
    temperature === undefined || takesTemperature(model)
      ? []
      : [
          `${setting}: has no effect, because ${model} does not accept a temperature. Remove it, or choose another model.`,
        ],
  );
}

interface KnownTools {
  readonly names: readonly string[];
  /** Whether a tool of this name may become available later. */
  readonly mayAppear: (name: string) => boolean;
}

/** Unknown tools named in settings, one line each for the operator. */
export function unknownTools(
  { query, channels }: Pick<Config, "query" | "channels">,
  { names, mayAppear }: KnownTools,
): string[] {
  const lists = [
    { setting: "toolAllow", toolAllow: query.toolAllow },
    ...Object.entries(channels).map(([channel, { toolAllow }]) => ({
      setting: `channels.${channel}.toolAllow`,
      toolAllow,
    })),
  ];
  return lists.flatMap(({ setting, toolAllow = [] }) =>
    toolAllow
      .filter((name) => !names.includes(name) && !mayAppear(name))
      .map((name) => `${setting}: there is no tool "${name}" with these settings.${toolSuggestion(name, names)}`),
  );
}

/**
 * Agents whose lists contain no existing tool, or a misspelt one, one line each for the operator. Other unknown names
 * may belong to other programs, or need other settings.
 */
export function unknownToolsOfAgents(
  agents: ReadonlyMap<string, Pick<AgentDefinition, "tools" | "disallowedTools">>,
  { names, mayAppear }: KnownTools,
): string[] {
  const unknownIn = (list: readonly string[]) => list.filter((name) => !names.includes(name) && !mayAppear(name));
  const misspelt = (setting: string, list: readonly string[]) =>
    unknownIn(list)
      .filter((name) => !SHARED_TOOLS.has(name))
      .map((name) => ({ name, hint: toolSuggestion(name, names) }))
      .filter(({ hint }) => hint !== TOOLS_HINT)
      .map(({ name, hint }) => `${setting}: there is no tool "${name}" with these settings.${hint}`);
  return [...agents].flatMap(([agent, { tools = [], disallowedTools = [] }]) => {
    const unknown = unknownIn(tools);
    const isNone = unknown.length > 0 && unknown.length === tools.length;
    const none = `agents.${agent}.tools: none of these tools exists with these settings, so the agent can only talk: ${unknown.slice(0, MAX_NAMED).join(", ")}.${TOOLS_HINT}`;
    return [
      ...(isNone ? [none] : misspelt(`agents.${agent}.tools`, tools)),
      ...misspelt(`agents.${agent}.disallowedTools`, disallowedTools),
    ];
  });
}

const MAX_NAMED = 10;
const TOOLS_HINT = " `/tools` lists the available tools.";

/** There may be hundreds of tools, so they are not all listed. */
function toolSuggestion(name: string, names: readonly string[]): string {
  return similarName(name, names) ?? TOOLS_HINT;
}

function takesTemperature(ref: string): boolean {
  const slash = ref.indexOf("/");
  return modelFacts(ref.slice(0, slash), ref.slice(slash + 1)).takesTemperature !== false;
}
