import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { agentWords, withOneLineDescription } from "./config/agents/agent-words.ts";
import { describeIssues, IN_OUR_WORDS, type KeyStyle } from "./config/problems.ts";
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

/** Where agents are, in the application's directory and in the home. */
const FOLDER = "extensions/agents";

export interface Agents {
  /** What holds now: another content once the page has set one. */
  readonly byName: ReadonlyMap<string, AgentDefinition>;
  /** Lines for the operator; the agents that they are about are missing or have no tools, all others are there. */
  readonly problems: readonly string[];
  /** Lines for the operator about what of the home's files has no effect. */
  readonly notes: readonly string[];
  /** As the page shows and sets them. */
  readonly definitions: DefinitionSet;
}

/** What the page has set of agents: one for all that ask which agents there are. */
export interface PageAgents {
  texts: DefinitionTexts;
}

/** Before anybody asks which agents the settings name. */
export async function readPageAgents({ revisions }: Pick<Store, "revisions">, page: PageAgents): Promise<void> {
  page.texts = textsIn(await revisions.newestOf("agent"));
}

/**
 * The agents of the application's files or, in their place, the page's; then of the home's files, then of the settings:
 * later ones win, field by field.
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

/** Those that are sound. */
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

/** The last place that names an agent. */
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
            words: agent.model ?? (agent.fast === true ? "the quick one, where one is set" : "the channel's"),
          },
          ...(agent.tools === undefined ? [] : [{ term: "Tools", words: agent.tools.join(", ") || "none" }]),
          ...(agent.disallowedTools === undefined ? [] : [{ term: "Not", words: agent.disallowedTools.join(", ") }]),
          { term: "Chosen by", words: agent.visible ? "people and agents" : "agents alone" },
          ...(agent.maxTurns === undefined ? [] : [{ term: "Model calls", words: `at most ${agent.maxTurns} a run` }]),
        ];
  return { name, description: agent?.description ?? "", ...texts, facts };
}

/** Agents that only look about are answered by a quick model, where one is set. */
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
  /** What of the files has no effect, a line each. */
  readonly notes: readonly string[];
  /** Every file that could be read, broken ones among them. */
  readonly texts: DefinitionTexts;
  /** Where they are. */
  readonly places: ReadonlyMap<string, string>;
}

interface SettingsLayer {
  readonly layer: AgentLayer;
  /** Where an agent of it stands in the settings. */
  readonly path: (name: string) => readonly string[];
}

/** `agents`, then definitions that stand in place of an agent's name. */
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

/** Every `<name>.md` of a directory and of folders in it, but README.md; one that is missing holds none. */
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
    if (other !== undefined)
      notes.push(at({ line: 1, message: `this takes the place of ${other}; rename one of them.` }));
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
    // A pipe has no end until somebody writes to it.
    if (!statSync(file).isFile()) return broken(1, "is no regular file");
    return readFileSync(file, "utf8");
  } catch (error) {
    return broken(1, `cannot be read (${systemCode(error) ?? "unknown error"})`);
  }
}

/** Folders within each other that agents are looked for in: collections part theirs by what they are for. */
const MAX_DEPTH = 3;

function filesIn(directory: string, problems: string[], depth = 1): string[] {
  try {
    const all = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    // What is hidden is a collection's own, or where a mounted folder keeps what it links to.
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
    if (!isNone) problems.push(`${directory}: cannot be read (${code}). Let this user read it.`);
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

/** A key that is not known keeps the whole file from loading: misspelt, it may be what limits the agent. */
function parseAgent(fileName: string, text: string): ReadAgent {
  const name = agentNameSchema.safeParse(fileName);
  if (!name.success) return broken(1, `${name.error.issues[0]?.message ?? "is not a name"}; rename the file`);
  const matter = matterOf(text);
  if (matter.type === "broken") return broken(matter.line, matter.reason);
  const lineOf = (key: string) => matter.lineOf(key);
  const words = agentWords(matter.data, { name: fileName, colors: COLORS });
  const notes = words.notes.map(([key, note]) => ({ line: lineOf(key), message: `${key}: ${note}.` }));
  const fields = fileSchema.safeParse(words.fields, IN_OUR_WORDS);
  if (!fields.success) {
    const lines = describeIssues(fields.error, fileSchema, yamlStyle(lineOf));
    return { agent: null, problems: lines.map(atLine), notes };
  }
  const prompt = matter.body.trim();
  const access = fields.data.access === undefined ? null : accessProblem(fields.data.access);
  return {
    agent: { ...fields.data, ...(prompt === "" ? {} : { prompt }) },
    problems: access === null ? [] : [{ line: lineOf("access"), message: `access: ${access}` }],
    notes,
  };
}

function matterOf(text: string): FrontMatter {
  const asWritten = readFrontMatter(text, { mayLeaveOut: false });
  const inOneLine = asWritten.type === "broken" ? withOneLineDescription(text) : null;
  const read = inOneLine === null ? asWritten : readFrontMatter(inOneLine, { mayLeaveOut: false });
  return read.type === "read" ? read : asWritten;
}

function broken(line: number, reason: string): ReadAgent {
  return { agent: null, problems: [{ line, message: `${reason}.` }], notes: [] };
}

/** Its labels begin with a line. */
function yamlStyle(lineOf: (key: string) => number): KeyStyle {
  const keyOf = (at: readonly PropertyKey[]) => at.map(String).join(".");
  return {
    label: (at) => `${lineOf(keyOf(at))}: ${keyOf(at)}`,
    example: (at, value) => `${keyOf(at)}: ${String(value)}`,
  };
}

function atLine(text: string): DefinitionProblem {
  const [, line = "1", message = text] = /^(\d+): (.*)$/s.exec(text) ?? [];
  return { line: Number(line), message };
}
