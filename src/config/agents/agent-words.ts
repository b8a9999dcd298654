import { readToolWords } from "./tool-words.ts";

/** Files of agents that were written for other programs, in our words. */

/** What other programs' files say beside that and means nothing here. None of it limits an agent. */
const PASSED_OVER: ReadonlySet<string> = new Set(
  (
    "allowedTools argument-hint author background category context disable-model-invocation domain effort emoji examples fallback_models handoffs hooks " +
    "initialPrompt isolation license mcp-servers mcpServers memory metadata mode priority reasoningEffort services skills tags target textVerbosity " +
    "thinking tier title top_p user-invokable variant version vibe when_to_use"
  ).split(" "),
);

export interface AgentWords {
  /** As `agentSchema` has them; not yet checked. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** What of the file has no effect, or another than was meant: by key, a sentence without its end. */
  readonly notes: readonly (readonly [key: string, text: string])[];
}

interface Known {
  /** The file's, which is the agent's. */
  readonly name: string;
  readonly colors: readonly string[];
}

/** The front matter of an agent's file in our words, whatever program it was written for. */
export function agentWords(data: Readonly<Record<string, unknown>>, { name, colors }: Known): AgentWords {
  const { name: own, tools, disallowedTools, permission, model: models, ...others } = inOneWord(data);
  const { color, description, permissionMode, ...rest } = others;
  // Some name several; the first is enough.
  const model: unknown = Array.isArray(models) ? models[0] : models;
  const notes: [string, string][] = [];
  const fields = Object.fromEntries(Object.entries(rest).filter(([key]) => !PASSED_OVER.has(key)));
  const [passedOver, ...more] = Object.keys(rest).filter((key) => PASSED_OVER.has(key));
  if (passedOver !== undefined)
    notes.push([passedOver, `has no effect here${more.length === 0 ? "" : `, nor have ${more.join(", ")}`}`]);
  if (own !== undefined && own !== name)
    notes.push(["name", `has no effect: the agent is called ${name}, as its file`]);
  if (description !== undefined) fields["description"] = withoutExamples(description);
  if (typeof color === "string" && !colors.includes(color))
    notes.push(["color", `${color} is none of ${colors.join(", ")}`]);
  else if (color !== undefined) fields["color"] = color;
  const isOthers = typeof model === "string" && !model.includes("/");
  if (!isOthers && model !== undefined) fields["model"] = model;
  if (isOthers && model === QUICK) fields["fast"] = true;
  if (isOthers && model !== INHERIT) notes.push(["model", `${model} ${MODEL_NOTES[model] ?? OTHER_MODEL}`]);
  if (permissionMode === "plan") fields["access"] ??= "read-only";
  else if (permissionMode !== undefined) notes.push(["permissionMode", "has no effect here"]);
  const read = readToolWords({ tools, disallowedTools, permission });
  return { fields: { ...fields, ...read.fields }, notes: [...notes, ...read.notes] };
}

/** What other programs have a word of their own for. */
function inOneWord(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { "allowed-tools": allowed, "user-invocable": mayChoose, hidden, allowedTools, ...others } = data;
  const { permissions, readOnly, steps, maxSteps = steps, ...rest } = others;
  const tools = rest["tools"] ?? allowed ?? allowedTools;
  return {
    ...(mayChoose === false || hidden === true ? { visible: false } : {}),
    ...(readOnly === true ? { access: "read-only" } : {}),
    ...(maxSteps === undefined ? {} : { maxTurns: maxSteps }),
    ...(permissions === undefined ? {} : { permission: permissions }),
    ...rest,
    ...(tools === undefined ? {} : { tools }),
    // Those that do not ask, beside all that there are.
    ...(allowedTools === undefined || tools === allowedTools ? {} : { allowedTools }),
  };
}

const INHERIT = "inherit";
const QUICK = "haiku";
const OTHER_MODEL = "names no provider, so the configured model answers; write provider/model for another";
const MODEL_NOTES: Readonly<Record<string, string>> = {
  [QUICK]: "stands for `fastModel`, where one is set; write provider/model for another",
};

/** Conversations that show another program's model when to delegate are no part of the line that people read. */
function withoutExamples(description: unknown): unknown {
  if (typeof description !== "string") return description;
  const [said = ""] = description.replaceAll(/\\n|\n/g, " ").split(/(?:Examples?:\s*)?<example>/);
  return said.trim() || description;
}

/** Lines of a conversation within a description, which look like keys. */
const SPEAKERS = /^(?:context|user|human|assistant|commentary|example\w*):/i;

/**
 * The file with a description of several lines, which ought to be a block of YAML and is none, as one line; its other
 * lines stay where they are. Null where there is none.
 */
export function withOneLineDescription(file: string): string | null {
  const lines = file.split(/\r?\n/);
  const from = lines.findIndex((line) => line.startsWith("description: "));
  const to = lines.findIndex(
    (line, at) => at > from && (line === "---" || (/^[\w-]+:/.test(line) && !SPEAKERS.test(line))),
  );
  if (lines[0] !== "---" || from < 1 || to <= from + 1) return null;
  const text = lines.slice(from, to).join("\n").slice("description: ".length);
  const blank = Array.from({ length: to - from - 1 }, () => "");
  return [...lines.slice(0, from), `description: ${JSON.stringify(text)}`, ...blank, ...lines.slice(to)].join("\n");
}
