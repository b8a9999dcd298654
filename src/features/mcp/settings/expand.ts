import path from "node:path";
import type { Environment } from "../../../config/sources.ts";
import { INHERITED_VARIABLES } from "./inherited-environment.ts";

/** One of VS Code's `inputs`: a value that VS Code asks its user for when a server starts. */
export interface Input {
  readonly id: string;
  readonly description?: string | undefined;
  readonly default?: string | undefined;
}

export interface Expansion {
  /** Names of the variables referred to. */
  readonly used: Set<string>;
  /** Values taken from variables that may be credentials. */
  readonly secrets: Set<string>;
  /** What could not be expanded; each is the end of a sentence: `refers to TOKEN, which is not set`. */
  readonly problems: string[];
}

export interface References {
  readonly env: Environment;
  readonly inputs: readonly Input[];
}

/** Variables that only editors can fill in. Source: VS Code docs, Variables reference. */
const EDITORS_OWN = /^(?:workspace|workspaceFolder|workspaceRoot|file|relativeFile|cwd|config|command|selectedText)/;

/** `NAME`, `NAME:-default`, `env:NAME`, and both together. */
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([\s\S]*))?$/;

/**
 * Rewrites `$NAME` and `$env:NAME` as `${NAME}`, for Gemini CLI's syntax. If the variable is not set, the text stays, since a password
 * may begin like this.
 */
export function withBraces(text: string, { env }: References): string {
  return text.replaceAll(/\$(?:env:)?([A-Z_][A-Z0-9_]*)/g, (written, name: string) =>
    env[name] === undefined ? written : `\${${name}}`,
  );
}

/** Replaces `${…}` by values. Anything else, such as `${}`, stays; inserted values are not expanded again. */
export function expand(text: string, references: References, found: Expansion): string {
  let expanded = "";
  let from = 0;
  for (let at = text.indexOf("${"); at !== -1; at = text.indexOf("${", from)) {
    const end = closingBrace(text, at + 2);
    if (end === -1) break;
    const body = text.slice(at + 2, end);
    expanded += text.slice(from, at) + (valueOf(body, references, found) ?? text.slice(at, end + 1));
    from = end + 1;
  }
  return expanded + text.slice(from);
}

/** The index of the brace that closes the one before `from`; -1 if none does. */
function closingBrace(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

/** The value of a reference; null if the text is not a reference. */
function valueOf(body: string, references: References, found: Expansion): string | null {
  const { env } = references;
  if (body.startsWith("input:")) return inputValue(body.slice("input:".length), references, found);
  if (body === "userHome") return env["HOME"] ?? env["USERPROFILE"] ?? "";
  if (body === "/" || body === "pathSeparator") return path.sep;
  const [, name, otherwise] = VARIABLE.exec(body) ?? [];
  if (name !== undefined) {
    found.used.add(name);
    const value = env[name];
    if (value !== undefined) return taken(name, value, found);
    if (otherwise !== undefined) return expand(otherwise, references, found);
  }
  if (EDITORS_OWN.test(body)) {
    found.problems.push(`refers to \${${body}}, which only an editor knows; write its value instead`);
    return "";
  }
  if (name === undefined) return null;
  found.problems.push(`refers to ${name}, which is not set`);
  return "";
}

/** Takes the input `perplexity-key` from the variable PERPLEXITY_KEY, since nobody is there to be asked for it. */
function inputValue(id: string, { env, inputs }: References, found: Expansion): string {
  const name = id.replaceAll(/[^A-Za-z0-9]+/g, "_").toUpperCase();
  const input = inputs.find((one) => one.id === id);
  found.used.add(name);
  const value = env[name];
  if (value !== undefined) return taken(name, value, found);
  if (input?.default !== undefined) return input.default;
  const about = input?.description === undefined ? "" : ` (${input.description})`;
  found.problems.push(`needs the input ${id}${about}; set ${name}`);
  return "";
}

function taken(name: string, value: string, { secrets }: Expansion): string {
  if (!INHERITED_VARIABLES.includes(name)) secrets.add(value);
  return value;
}
