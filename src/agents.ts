import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { translateAgent, withOneLineDescription } from "./config/agents/translate-agent.ts";
import { type ExampleStyle, PARSE_OPTIONS, problemsIn } from "./config/problems.ts";
import { agentNameSchema, agentSchema } from "./config/settings.ts";
import { valueAt } from "./config/stored/plain.ts";
import type { Config } from "./config.ts";
import { type AgentLayer, accessProblem, layerAgents } from "./core/agents/definitions.ts";
import {
  type Definition,
  type DefinitionCheck,
  type DefinitionProblem,
  type DefinitionSet,
  type DefinitionTexts,
  type Fact,
  type OwnDefinition,
  textsIn,
} from "./core/agents/page-definitions.ts";
import type { AgentDefinition } from "./core/agents/query-config.ts";
import { systemCode } from "./core/protocol/system-code.ts";
import { type FrontMatter, readFrontMatter } from "./core/skills/skill-format/skill-front-matter.ts";
import type { Store } from "./core/store/store.ts";
import { APPLICATION } from "./version.ts";

/** The folder of agent files, in the application's directory and in the home. */
const FOLDER = "extensions/agents";

export interface Agents {
  /** The current agents. The map changes when the page sets agents. */
  readonly byName: ReadonlyMap<string, AgentDefinition>;
  /** Messages for the operator about agents that are missing or have no tools. */
  readonly problems: readonly string[];
  /** Messages for the operator about parts of the home's files that have no effect. */
  readonly notes: readonly string[];
  /** The agents as shown and set on the page. */
  readonly definitions: DefinitionSet;
}

export interface PageAgents {
  texts: DefinitionTexts;
}

/** Loads the page's agents. To be called before anybody checks which agents the settings name. */
export async function readPageAgents({ revisions }: Pick<Store, "revisions">, page: PageAgents): Promise<void> {
  page.texts = textsIn(await revisions.newestOf("agent"));
}

/**
 * Loads agents from the application's files (or the page's texts in their place), the home's files and the settings.
 * Later sources win, field by field.
 */
export function loadAgents(config: Config, page: PageAgents = { texts: new Map() }): Agents {
  const shipped = readAgentFiles(path.join(APPLICATION, FOLDER));
  const home = readAgentFiles(path.join(config.home, FOLDER));
  const settings = settingsLayers(config);
  const own = [home, ...settings.map(({ layer }) => checked(layer))];
  const byName = new Map<string, AgentDefinition>();
  const set = (texts: DefinitionTexts): void => {
    page.texts = texts;
    const layers = [new Map([...shipped.layer, ...parsed(texts)]), ...own.map(({ layer }) => layer)];
    const now = withFastModel(layerAgents(layers), config.fastModel);
    byName.clear();
    for (const [name, agent] of now) byName.set(name, agent);
  };
  set(page.texts);
  const problems = [shipped, ...own].flatMap((read) => read.problems);
  const ownOf = (name: string) => ownDefinition(name, { home, settings, config });
  return {
    byName,
    problems,
    notes: home.notes,
    definitions: {
      all: () =>
        [...new Set([...shipped.texts.keys(), ...byName.keys(), ...page.texts.keys(), ...home.texts.keys()])]
          .sort()
          .map((name) =>
            shown(name, { shipped: shipped.texts.get(name) ?? null, own: ownOf(name), agent: byName.get(name) }),
          ),
      check: checkAgent,
      problems: () => problems,
      set,
    },
  };
}

/** The page's agents that are valid. */
function parsed(texts: DefinitionTexts): [string, Partial<AgentDefinition>][] {
  return [...texts].flatMap(([name, text]) => {
    const { agent } = parseAgent(name, text);
    return agent === null ? [] : [[name, agent]];
  });
}

function checkAgent(name: string, text: string): DefinitionCheck {
  const { problems, notes } = parseAgent(name, text);
  return { problems, notes: notes.map(({ message }) => message) };
}

interface Own {
  readonly home: ReadLayer;
  readonly settings: readonly SettingsLayer[];
  readonly config: Config;
}

/** The last of the operator's sources that defines an agent. */
function ownDefinition(name: string, { home, settings, config }: Own): OwnDefinition | null {
  const set = settings.findLast(({ layer }) => layer.has(name));
  const fields = set?.layer.get(name);
  if (set !== undefined && fields !== undefined) {
    const at = set.path(name);
    const { file } = config.origin.layers;
    const where = valueAt(file.value, at) === undefined ? "the page's settings" : file.name;
    return { place: `${at.join(".")} of ${where}`, text: JSON.stringify(fields, null, 2) };
  }
  const text = home.texts.get(name);
  return text === undefined ? null : { place: home.places.get(name) ?? "", text };
}

function shown(
  name: string,
  { agent, ...texts }: Pick<Definition, "shipped" | "own"> & { readonly agent: AgentDefinition | undefined },
): Definition {
  const facts: Fact[] =
    agent === undefined
      ? []
      : [
          { term: "Access", words: agent.access },
          {
            term: "Model",
            words: agent.model ?? (agent.fast === true ? "the fast model, if one is set" : "the channel's"),
          },
          ...(agent.tools === undefined ? [] : [{ term: "Tools", words: agent.tools.join(", ") || "none" }]),
          ...(agent.disallowedTools === undefined
            ? []
            : [{ term: "Disallowed tools", words: agent.disallowedTools.join(", ") }]),
          { term: "Chosen by", words: agent.visible ? "people and agents" : "agents only" },
          ...(agent.maxTurns === undefined
            ? []
            : [{ term: "Model calls", words: `at most ${agent.maxTurns} per run` }]),
        ];
  return { name, description: agent?.description ?? "", ...texts, facts };
}

/** Gives the fast model to agents that are marked for it, if one is configured. */
function withFastModel(agents: ReadonlyMap<string, AgentDefinition>, model: string | undefined) {
  if (model === undefined) return agents;
  const faster = (agent: AgentDefinition) => (agent.fast === true ? { model, ...agent } : agent);
  return new Map([...agents].map(([name, agent]) => [name, faster(agent)]));
}

interface CheckedLayer {
  readonly layer: AgentLayer;
  readonly problems: readonly string[];
}

interface ReadLayer extends CheckedLayer {
  /** Messages about parts of the files that have no effect. */
  readonly notes: readonly string[];
  /** The text of every readable file, including broken ones, by agent. */
  readonly texts: DefinitionTexts;
  /** The path of each agent's file. */
  readonly places: ReadonlyMap<string, string>;
}

interface SettingsLayer {
  readonly layer: AgentLayer;
  /** Returns the path of an agent in the settings. */
  readonly path: (name: string) => readonly string[];
}

/** The agents under `agents`, followed by definitions in places that normally hold an agent's name. */
function settingsLayers(config: Config): SettingsLayer[] {
  const places = [
    { path: ["agentDefinition"], agentDefinition: config.query.agentDefinition },
    ...Object.entries(config.channels).map(([channel, { agentDefinition }]) => ({
      path: ["channels", channel, "agentDefinition"],
      agentDefinition,
    })),
  ];
  const inPlace = places.flatMap(({ path: at, agentDefinition }) =>
    typeof agentDefinition === "object"
      ? [{ layer: new Map([[agentDefinition.name, agentDefinition]]), path: () => at }]
      : [],
  );
  return [{ layer: new Map(Object.entries(config.agents)), path: (name) => ["agents", name] }, ...inPlace];
}

function checked(layer: AgentLayer): CheckedLayer {
  const problems = [...layer].flatMap(([name, { access }]) => {
    const problem = access === undefined ? null : accessProblem(access);
    return problem === null ? [] : [`agents.${name}.access: ${problem}`];
  });
  return { layer, problems };
}

/** Reads every `<name>.md` of a directory and its folders, except README.md. A missing directory has none. */
export function readAgentFiles(directory: string): ReadLayer {
  const layer = new Map<string, Partial<AgentDefinition>>();
  const texts = new Map<string, string>();
  const places = new Map<string, string>();
  const problems: string[] = [];
  const notes: string[] = [];
  for (const file of filesIn(directory, problems)) {
    const at = ({ line, message }: DefinitionProblem) => `${file}:${line}: ${message}`;
    const name = path.basename(file).replace(/(?:\.agent)?\.md$/, "");
    const other = places.get(name);
    if (other !== undefined) notes.push(at({ line: 1, message: `this replaces ${other}; rename one of them.` }));
    const text = readText(file);
    places.set(name, file);
    if (typeof text === "string") texts.set(name, text);
    const read = typeof text === "string" ? parseAgent(name, text) : text;
    if (read.agent !== null) layer.set(name, read.agent);
    problems.push(...read.problems.map(at));
    notes.push(...read.notes.map(at));
  }
  return { layer, texts, places, problems, notes };
}

function readText(file: string): string | ReadAgent {
  try {
    // Reading a pipe would block until somebody writes to it.
    if (!statSync(file).isFile()) return broken(1, "is not a regular file");
    return readFileSync(file, "utf8");
  } catch (error) {
    return broken(1, `cannot be read (${systemCode(error) ?? "unknown error"})`);
  }
}

/** Maximum depth of folders to search. Collections group agents in folders. */
const MAX_DEPTH = 3;

function filesIn(directory: string, problems: string[], depth = 1): string[] {
  try {
    const all = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    // Hidden entries belong to the collection's own tooling, or to the mechanics of a mounted folder.
    const entries = all.filter(({ name }) => !name.startsWith("."));
    const isFile = (entry: Dirent) => entry.name.endsWith(".md") && !entry.isDirectory();
    const within = entries.filter((entry) => entry.isDirectory() || (entry.isSymbolicLink() && !isFile(entry)));
    return [
      ...(depth < MAX_DEPTH ? within : []).flatMap(({ name }) =>
        filesIn(path.join(directory, name), problems, depth + 1),
      ),
      ...entries
        .filter((entry) => isFile(entry) && entry.name !== "README.md")
        .map(({ name }) => path.join(directory, name)),
    ];
  } catch (error) {
    const code = systemCode(error) ?? "unknown error";
    const isNone = code === "ENOENT" || (code === "ENOTDIR" && depth > 1);
    if (!isNone) problems.push(`${directory}: cannot be read (${code}). Give this user permission to read it.`);
    return [];
  }
}

interface ReadAgent {
  readonly agent: Partial<AgentDefinition> | null;
  readonly problems: readonly DefinitionProblem[];
  readonly notes: readonly DefinitionProblem[];
}

const fileSchema = agentSchema.omit({ prompt: true });
const COLORS = agentSchema.shape.color.unwrap().options;

/**
 * Parses an agent file. An unknown key rejects the whole file, because a misspelt key may have been meant to restrict
 * the agent.
 */
function parseAgent(fileName: string, text: string): ReadAgent {
  const name = agentNameSchema.safeParse(fileName);
  if (!name.success) return broken(1, `${name.error.issues[0]?.message ?? "is not a name"}; rename the file`);
  const matter = frontMatterOf(text);
  if (matter.type === "broken") return broken(matter.line, matter.reason);
  const lineOf = (key: string) => matter.lineOf(key);
  const translated = translateAgent(matter.data, { name: fileName, colors: COLORS });
  const notes = translated.notes.map(([key, note]) => ({ line: lineOf(key), message: `${key}: ${note}.` }));
  const fields = fileSchema.safeParse(translated.fields, PARSE_OPTIONS);
  if (!fields.success) {
    const problems = problemsIn(fields.error, fileSchema, YAML_STYLE).map(({ path: at, text: why }) => {
      return { line: lineOf(keyOf(at)), message: `${keyOf(at)}: ${why}` };
    });
    return { agent: null, problems, notes };
  }
  const prompt = matter.body.trim();
  const access = fields.data.access === undefined ? null : accessProblem(fields.data.access);
  return {
    agent: { ...fields.data, ...(prompt === "" ? {} : { prompt }) },
    problems: access === null ? [] : [{ line: lineOf("access"), message: `access: ${access}` }],
    notes,
  };
}

function frontMatterOf(text: string): FrontMatter {
  const asWritten = readFrontMatter(text, { mayLeaveOut: false });
  const inOneLine = asWritten.type === "broken" ? withOneLineDescription(text) : null;
  const read = inOneLine === null ? asWritten : readFrontMatter(inOneLine, { mayLeaveOut: false });
  return read.type === "read" ? read : asWritten;
}

function broken(line: number, reason: string): ReadAgent {
  return { agent: null, problems: [{ line, message: `${reason}.` }], notes: [] };
}

const YAML_STYLE: ExampleStyle = { example: (at, value) => `${keyOf(at)}: ${String(value)}` };

function keyOf(at: readonly PropertyKey[]): string {
  return at.map(String).join(".");
}
