import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describeIssues, type KeyStyle } from "./config/problems.ts";
import { agentNameSchema, agentSchema } from "./config/settings.ts";
import type { Config } from "./config.ts";
import { type AgentLayer, accessProblem, layerAgents } from "./core/agents/definitions.ts";
import type { AgentDefinition } from "./core/agents/query-config.ts";
import { systemCode } from "./core/protocol/system-code.ts";
import { readFrontMatter } from "./core/skills/skill-front-matter.ts";
import { APPLICATION } from "./version.ts";

export interface Agents {
  readonly byName: ReadonlyMap<string, AgentDefinition>;
  /** Lines for the operator; the agents that they are about are missing or have no tools, all others are there. */
  readonly problems: readonly string[];
}

/** Beside the program's sources. */

/** The agents of the application's files, then of the home's, then of the settings: later ones win, field by field. */
export function loadAgents(config: Config): Agents {
  const files = [APPLICATION, config.home].map((base) => readAgentFiles(path.join(base, "extensions/agents")));
  const all = [...files, ...settingsLayers(config).map(checked)];
  return {
    byName: withFastModel(layerAgents(all.map(({ layer }) => layer)), config.fastModel),
    problems: all.flatMap(({ problems }) => problems),
  };
}

/** Agents that only look about are answered by a quick model, where one is set. */
function withFastModel(agents: ReadonlyMap<string, AgentDefinition>, model: string | undefined) {
  if (model === undefined) return agents;
  const faster = (agent: AgentDefinition) => (agent.fast === true ? { model, ...agent } : agent);
  return new Map([...agents].map(([name, agent]) => [name, faster(agent)]));
}

interface ReadLayer {
  readonly layer: AgentLayer;
  readonly problems: readonly string[];
}

/** `agents`, then definitions that stand in place of an agent's name. */
function settingsLayers(config: Config): AgentLayer[] {
  const inPlace = [config.query, ...Object.values(config.channels)].flatMap(({ agentDefinition }) =>
    typeof agentDefinition === "object" ? [new Map([[agentDefinition.name, agentDefinition]])] : [],
  );
  return [new Map(Object.entries(config.agents)), ...inPlace];
}

function checked(layer: AgentLayer): ReadLayer {
  const problems = [...layer].flatMap(([name, { access }]) => {
    const problem = access === undefined ? null : accessProblem(access);
    return problem === null ? [] : [`agents.${name}.access: ${problem}`];
  });
  return { layer, problems };
}

/** Every `<name>.md` of a directory but its README.md; one that is missing holds none. */
export function readAgentFiles(directory: string): ReadLayer {
  const layer = new Map<string, Partial<AgentDefinition>>();
  const problems: string[] = [];
  for (const name of namesIn(directory, problems)) {
    const file = path.join(directory, name);
    const read = readAgent(file);
    if (read.agent !== null) layer.set(path.basename(name, ".md"), read.agent);
    problems.push(...read.problems.map((problem) => `${file}${problem}`));
  }
  return { layer, problems };
}

function namesIn(directory: string, problems: string[]): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(".md") && name !== "README.md")
      .sort();
  } catch (error) {
    const code = systemCode(error) ?? "unknown error";
    if (code !== "ENOENT") problems.push(`${directory}: cannot be read (${code}). Let this user read it.`);
    return [];
  }
}

interface ReadAgent {
  readonly agent: Partial<AgentDefinition> | null;
  /** Each begins with `:<line>: `, to follow the file's path. */
  readonly problems: readonly string[];
}

/** A key that is not known keeps the whole file from loading: misspelt, it may be what limits the agent. */
function readAgent(file: string): ReadAgent {
  const name = agentNameSchema.safeParse(path.basename(file, ".md"));
  if (!name.success) return broken(1, `${name.error.issues[0]?.message ?? "is not a name"}; rename the file`);
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    return broken(1, `cannot be read (${systemCode(error) ?? "unknown error"})`);
  }
  const matter = readFrontMatter(text, { mayLeaveOut: false });
  if (matter.type === "broken") return broken(matter.line, matter.reason);
  const lineOf = (key: string) => matter.lineOf(key);
  const fields = agentSchema.omit({ prompt: true }).safeParse(matter.data, { reportInput: true });
  if (!fields.success) {
    const problems = describeIssues(fields.error, agentSchema.omit({ prompt: true }), yamlStyle(lineOf));
    return { agent: null, problems };
  }
  const prompt = matter.body.trim();
  const access = fields.data.access === undefined ? null : accessProblem(fields.data.access);
  return {
    agent: { ...fields.data, ...(prompt === "" ? {} : { prompt }) },
    problems: access === null ? [] : [`:${lineOf("access")}: access: ${access}`],
  };
}

function broken(line: number, reason: string): ReadAgent {
  return { agent: null, problems: [`:${line}: ${reason}.`] };
}

function yamlStyle(lineOf: (key: string) => number): KeyStyle {
  const keyOf = (at: readonly PropertyKey[]) => at.map(String).join(".");
  return {
    label: (at) => `:${lineOf(keyOf(at))}: ${keyOf(at)}`,
    example: (at, value) => `${keyOf(at)}: ${String(value)}`,
  };
}
