import { translateTools } from "./translate-tools.ts";

/** Translates agents' files that were written for other programs. */

/** Keys of other programs that have no meaning here. None of them restricts an agent. */
const IGNORED_KEYS: ReadonlySet<string> = new Set(
  (
    "activation_priority activation_triggers allowedTools argument-hint author background capabilities category " +
    "context depth difficulty disable-model-invocation domain effort emoji estimated_time examples expertise " +
    "expertise_level fallback_models handoffs hooks initialPrompt isolation level license mcp-servers mcpServers " +
    "memory metadata mode priority reasoningEffort services skills specialization status subcategory tags target " +
    "textVerbosity thinking tier title top_p type user-invokable variant version vibe when_to_use"
  ).split(" "),
);

export interface TranslatedAgent {
  /** Fields in the form of `agentSchema`, not yet validated. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Keys without effect, or with another effect than intended, each with a sentence without its full stop. */
  readonly notes: readonly (readonly [key: string, text: string])[];
}

interface Known {
  /** The name of the file, and so of the agent. */
  readonly name: string;
  readonly colors: readonly string[];
}

/** Translates the front matter of an agent's file, whatever program it was written for. */
export function translateAgent(data: Readonly<Record<string, unknown>>, { name, colors }: Known): TranslatedAgent {
  const { name: own, tools, disallowedTools, permission, model: models, ...others } = withCanonicalKeys(data);
  const { color, description, permissionMode, ...rest } = others;
  // Some files name several models; the first is used.
  const model: unknown = Array.isArray(models) ? models[0] : models;
  const notes: [string, string][] = [];
  const fields = Object.fromEntries(Object.entries(rest).filter(([key]) => !IGNORED_KEYS.has(key)));
  const [ignored, ...more] = Object.keys(rest).filter((key) => IGNORED_KEYS.has(key));
  if (ignored !== undefined)
    notes.push([ignored, `has no effect here${more.length === 0 ? "" : `; the same is true of ${more.join(", ")}`}`]);
  if (own !== undefined && own !== name)
    notes.push(["name", `has no effect: the agent is named ${name}, after its file`]);
  if (description !== undefined) fields["description"] = withoutExamples(description);
  if (typeof color === "string" && !colors.includes(color))
    notes.push(["color", `${color} is not one of ${colors.join(", ")}`]);
  else if (color !== undefined) fields["color"] = color;
  const isOthers = typeof model === "string" && !model.includes("/");
  if (!isOthers && model !== undefined) fields["model"] = model;
  if (isOthers && model === QUICK) fields["fast"] = true;
  if (isOthers && model !== INHERIT) notes.push(["model", `${model} ${MODEL_NOTES[model] ?? OTHER_MODEL}`]);
  if (permissionMode === "plan") fields["access"] ??= "read-only";
  else if (permissionMode !== undefined) notes.push(["permissionMode", "has no effect here"]);
  const read = translateTools({ tools, disallowedTools, permission });
  return { fields: { ...fields, ...read.fields }, notes: [...notes, ...read.notes] };
}

/** Unifies the keys that other programs use for the same thing. */
function withCanonicalKeys(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
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
    // Tools that run without asking, in addition to the list of available tools.
    ...(allowedTools === undefined || tools === allowedTools ? {} : { allowedTools }),
  };
}

const INHERIT = "inherit";
const QUICK = "haiku";
const OTHER_MODEL = "names no provider, so the configured model is used; write provider/model to choose another";
const MODEL_NOTES: Readonly<Record<string, string>> = {
  [QUICK]: "means `fastModel`, if that is set; write provider/model to choose another",
};

/** Removes examples for another program's model, since people read the description in a list. */
function withoutExamples(description: unknown): unknown {
  if (typeof description !== "string") return description;
  const [said = ""] = description.replaceAll(/\\n|\n/g, " ").split(/(?:Examples?:\s*)?<example>/);
  return said.trim() || description;
}

/** Lines of an example conversation within a description, which look like keys. */
const SPEAKERS = /^(?:context|user|human|assistant|commentary|example\w*):/i;

/**
 * Rewrites a multi-line description that should have been a YAML block into one line, without moving the other lines.
 * Null if there is none.
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
