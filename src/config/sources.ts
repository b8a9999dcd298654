import { isUtf8 } from "node:buffer";
import { lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseEnv } from "node:util";
import stripJsonComments from "strip-json-comments";
import { systemCode } from "../core/protocol/system-code.ts";
import { isObject } from "../core/text/from-json.ts";
import { repeatedKeys } from "./repeated-keys.ts";

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Input as read, before validation. `problems` are complete lines. */
interface Source<T> {
  readonly value: T;
  readonly problems: readonly string[];
}

interface EnvironmentSource extends Source<Environment> {
  /** Names of the variables set in `.env`. */
  readonly inFile: readonly string[];
}

/**
 * The environment, with `.env` of the working directory as a fallback. Empty values count as unset, because compose
 * files and shells pass unset variables on as empty ones.
 */
function readEnvironment(env: Environment, cwd: string): EnvironmentSource {
  const file = readOptional(path.join(cwd, ".env"));
  if (file.problem !== null) return { value: withoutEmpty(env), problems: [`.env: ${file.problem}`], inFile: [] };
  const fromFile = file.text === null ? {} : withoutEmpty(parseEnv(file.text));
  const problems = linesWithoutEffect(file.text ?? "").map(
    ({ name, line }) => `.env: line ${line} sets nothing. Write it as ${name}=…`,
  );
  return { value: { ...fromFile, ...withoutEmpty(env) }, problems, inFile: Object.keys(fromFile) };
}

/** A name and a value without an equals sign: `PORT: 3000`, `PORT 3000`. */
const UNASSIGNED = /^\s*(?:export\s+)?([A-Z][A-Z0-9_]*)(?:\s*:\s*|\s+)[^=\s][^=]*$/u;

function linesWithoutEffect(text: string): { readonly name: string; readonly line: number }[] {
  return text.split(/\r?\n/u).flatMap((each, index) => {
    const name = UNASSIGNED.exec(each)?.[1];
    return name === undefined ? [] : [{ name, line: index + 1 }];
  });
}

interface ConfigFile extends Source<unknown> {
  /** The file's name in error messages. */
  readonly name: string;
  /** Absolute path; null if there is no file. */
  readonly path: string | null;
}

/** The layers that override the page's settings, read once when the program begins. */
export interface Layers {
  readonly environment: EnvironmentSource;
  readonly file: ConfigFile;
  /** The base of relative paths. */
  readonly cwd: string;
}

export function readLayers(env: Environment, cwd: string): Layers {
  const environment = readEnvironment(env, cwd);
  return { environment, file: readConfigFile(environment.value, cwd), cwd };
}

/** Reads the settings file as JSON, ignoring comments, trailing commas, and keys that begin with `//`. */
function readConfigFile(env: Environment, cwd: string): ConfigFile {
  const configured = env.DECKHAND_CONFIG;
  const file = path.resolve(cwd, configured ?? "deckhand.config.json");
  const { text, problem } = readOptional(file);
  const name = path.basename(file);
  if (problem !== null) return { name, path: file, value: {}, problems: [`${name}: ${problem}`] };
  if (text === null && configured !== undefined) {
    const missing = `DECKHAND_CONFIG: there is no file ${file}. Create it, or unset the variable.`;
    return { name, path: null, value: {}, problems: [missing] };
  }
  if (text === null) return { name, path: null, value: {}, problems: [] };
  const json = stripJsonComments(text, { trailingCommas: true });
  try {
    const parsed: unknown = JSON.parse(json);
    const problems = repeatedKeys(json).map(
      ({ path: key, line }) =>
        `${name}: ${key}: appears twice, the second time at line ${line}. Remove one of the two.`,
    );
    return { name, path: file, value: withoutComments(parsed), problems };
  } catch (error) {
    return { name, path: file, value: {}, problems: [`${name}: is not valid JSON${positionOf(json, error)}.`] };
  }
}

/** The position only, because the parser's message quotes the text, which may contain a key. */
function positionOf(text: string, error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  if (position === undefined) return "; it ends too early or a comma, quote or bracket is wrong";
  const before = text.slice(0, Number(position)).split("\n");
  const column = (before.at(-1)?.length ?? 0) + 1;
  return ` at line ${before.length}, column ${column}; a comma, quote or bracket is wrong at or before it`;
}

function readOptional(file: string): { readonly text: string | null; readonly problem: string | null } {
  try {
    const bytes = readFileSync(file);
    if (!isUtf8(bytes) || bytes.includes(0)) return { text: null, problem: "is not UTF-8. Save it as UTF-8." };
    return { text: bytes.toString().replace(/^\uFEFF/, ""), problem: null };
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    if (code !== "ENOENT")
      return { text: null, problem: `cannot be read (${code}). Make it a file that this user can read.` };
    const isLink = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    return { text: null, problem: isLink ? "is a symbolic link to a file that does not exist." : null };
  }
}

function withoutEmpty(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""));
}

function withoutComments(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutComments);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !key.startsWith("//"));
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutComments(inner)]));
}
