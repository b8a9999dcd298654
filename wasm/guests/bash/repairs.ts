/** What the repairs of just-bash in wasm/shell-repairs call. */

/** What runs a script by its first line, where that is no shell, nor one of the commands here that read programs. */
export function otherInterpreter(script: string): string | null {
  const [, program = "", ...words] = /^#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(script) ?? [];
  const name = (/(?:^|\/)env$/.test(program) ? words[0] : program)?.split("/").at(-1) ?? "";
  return name === "" || /^(?:ba|da|k|z|a)?sh$|^(?:[gmn]?awk|sed|jq|busybox)$/.test(name) ? null : name;
}

/** Why `date` cannot do what it is asked for; null when it can. */
export function dateProblem(day: string | null, zone: string | undefined): string | null {
  if (zone !== undefined && !/^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal)?0?$/.test(zone))
    return `no time zone but UTC is known here, not ${zone}`;
  const [text, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)/.exec(day ?? "") ?? [];
  if (text === undefined) return null;
  const found = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  return found.toISOString().startsWith(text) ? null : `invalid date '${day ?? ""}'`;
}

export { textKeepingBytes, utf8Bytes } from "../runtime/text-encoding.ts";
export { arrayNamed, awkMatched, element, keys, once, refuseVariable, setElement } from "./awk/arrays.ts";
export { seed } from "./awk/chance.ts";
export { enter, withOwnNames } from "./awk/functions.ts";
export { assigning, readAhead, records, splitter, startFile, terminator } from "./awk/input.ts";
export { ungroup } from "./awk/lists.ts";
export { divisor, formatted, numberText } from "./awk/numbers.ts";
export { aboutFile, assigned, readsFiles } from "./awk/operands.ts";
export { awkRegex } from "./awk/patterns.ts";
export { close, closePipes, execute, printTo } from "./awk/pipes.ts";
export { comparable, given, isTrue, UNSET } from "./awk/values.ts";
export { beginReading } from "./files/devices.ts";
export { eachCased } from "./shell/cased-lists.ts";
export { exec } from "./shell/exec.ts";
export { functionText } from "./shell/functions.ts";
export { globstar } from "./shell/globstar.ts";
export { heard } from "./shell/heard.ts";
export { adding, forgetting, indicesOf } from "./shell/indices.ts";
export { exactly, integer, isNoNumber, longNumeral, realNumber, wholeNumber } from "./shell/integers.ts";
export { asSubshell, inBackground, wait } from "./shell/jobs.ts";
export { listText, pairsOf } from "./shell/lists.ts";
export { areSubshells, arithmeticText, withoutQuotes } from "./shell/parentheses.ts";
export { alternative, arrayOf, refer, referred, startingOptions, withoutAssignments } from "./shell/references.ts";
export { apart, behind, unplugged, withStray } from "./shell/streams.ts";
export { conditionRegex, grepPattern } from "./text/posix-regex.ts";
export { failed, shell, substituted, trap, trapped } from "./traps.ts";

interface Status {
  readonly size: number;
  readonly mtime: Date;
}

/** What `stat -c` says of times and blocks; of others, what it was asked. */
export function statField({ size, mtime }: Status, field: string): string {
  switch (field) {
    case "%X":
    case "%Y":
    case "%Z":
      return String(Math.floor(mtime.getTime() / 1000));
    case "%x":
    case "%y":
    case "%z":
      return `${mtime.toISOString().replace("T", " ").replace("Z", "000000")} +0000`;
    case "%b":
      return String(Math.ceil(size / 512));
    case "%h":
      return "1";
    default:
      return field;
  }
}

/** Fields as awk finds them where nothing else separates them. */
export function awkWords(text: string): string[] {
  return text.match(/[^ \t\n]+/g) ?? [];
}

/** The arguments of a script or a function. */
export function positional(env: ReadonlyMap<string, string>): string[] {
  return Array.from({ length: Number(env.get("#") ?? 0) }, (_, at) => env.get(String(at + 1)) ?? "");
}

/** How `grep -r` names a file in a directory; the working directory, unless it is named, is empty. */
export function pathWithin(directory: string, name: string): string {
  return directory === "" || directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

/** Between the words of `$*`. */
export function separator(env: ReadonlyMap<string, string>): string {
  return (env.get("IFS") ?? " ").slice(0, 1);
}

/** As `declare` reads it: what stands behind `[key]=` has quotes if it needs them. */
export function quotedElement(element: string): string {
  const [, key = "", value = ""] = /^(\[[^\]]+\]=)([^]*)$/.exec(element) ?? [];
  return /[\s"'\\$`(){}]/.test(value) ? `${key}'${value.replaceAll("'", "'\\''")}'` : element;
}

const substituting = new WeakMap<object, boolean>();

/** Whether assignments run commands, whose status is theirs. */
export function substitutes(assignments: object): boolean {
  const known = substituting.get(assignments);
  if (known !== undefined) return known;
  const found = /"type":"(?:CommandSubstitution|ArithCommandSubst)"/.test(JSON.stringify(assignments));
  substituting.set(assignments, found);
  return found;
}

/** Whether the byte at a place belongs to the character before it. */
export function goesOn(bytes: string, at: number): boolean {
  return /[\u0080-\u00bf]/.test(bytes.charAt(at));
}

/** Where so many characters end. */
export function endOf(characters: number, bytes: string): number {
  let at = 0;
  for (let found = 0; at < bytes.length && (found < characters || goesOn(bytes, at)); at++)
    if (!goesOn(bytes, at)) found++;
  return at;
}

interface Globbing {
  readonly cwd: string;
  readonly fs: {
    resolvePath(base: string, path: string): string;
    stat(path: string): Promise<{ readonly isDirectory: boolean }>;
  };
}

/** Those of the paths that are directories, as a pattern with a slash at its end names them. */
export async function directories({ fs, cwd }: Globbing, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const status = await fs.stat(fs.resolvePath(cwd, path)).catch(() => undefined);
    if (status?.isDirectory === true) found.push(`${path}/`);
  }
  return found;
}

interface Parser {
  parse(script: string): { readonly statements: readonly Statement[] };
}

interface Statement {
  readonly pipelines: readonly { readonly commands: readonly { readonly args: readonly WordPart[] }[] }[];
}

/** The part of a word that `${…}` is. */
export function braced(parser: Parser, content: string): object | undefined {
  return parser.parse(`: "\${${content}}"`).statements[0]?.pipelines[0]?.commands[0]?.args[0]?.parts?.[0];
}

/** A text as it is in double quotes, as a part of a word. */
export function quotedText(parser: Parser, text: string): object | undefined {
  const script = `: "${text.replace(/\\[^]|"/g, (found) => (found === '"' ? "" : found))}"`;
  return parser.parse(script).statements[0]?.pipelines[0]?.commands[0]?.args[0]?.parts?.[0];
}

const BRACKETS = /\[[!^]?\]?(?:\[:[a-z]+:\]|\\[^]|[^\]\\[])*\]/y;

/** How long a set of characters is that begins at a place of a pattern; 0 where none does. */
export function bracketsAt(pattern: string, at: number): number {
  BRACKETS.lastIndex = at;
  return BRACKETS.exec(pattern)?.[0].length ?? 0;
}

/** mapfile's options, each alone. */
export function mapfileWords(args: readonly string[]): string[] {
  return args.flatMap((arg, at) => {
    const isValue = at > 0 && /^-t*[dnOsuCc]$/.test(args[at - 1] ?? "");
    const [, trims = "", option = "", value = ""] = /^-(t*)([dnOsuCc])(.*)$/s.exec(arg) ?? [];
    if (isValue || option === "") return [arg];
    return [...(trims === "" ? [] : ["-t"]), `-${option}`, ...(value === "" ? [] : [value])];
  });
}

interface WordPart {
  readonly type: string;
  readonly parts?: readonly WordPart[];
}

/** Whether a command's name holds what may be several words, or none. */
export function isExpanded({ parts = [] }: Pick<WordPart, "parts">): boolean {
  return parts.some(
    (part) => /^(?:Parameter|Arithmetic)Expansion$|^CommandSubstitution$/.test(part.type) || isExpanded(part),
  );
}
