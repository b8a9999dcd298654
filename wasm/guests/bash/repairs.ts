import { bytesOfLatin1 } from "../runtime/text-encoding.ts";
import { posixRegex } from "./text/posix-regex.ts";

/** What the repairs of just-bash in wasm/shell-repairs call. */

/** What xargs reads: lines where it replaces, else words, which may be quoted. */
export function xargsWords(input: string, replaces: boolean): string[] {
  const lines = replaces ? input.split("\n").map((line) => line.replace(/^[ \t]+/, "")) : [input];
  return lines
    .flatMap((line) => [...line.matchAll(replaces ? /[^]+/g : /(?:'[^'\n]*'|"[^"\n]*"|\\[^]|[^\s'"\\]|['"\\])+/g)])
    .map(([word]) => word.replace(/'[^'\n]*'|"[^"\n]*"|\\[^]/g, unquoted));
}

/** The words of so many lines at a time; empty lines do not count. */
export function wordsByLines(input: string, lines: number): string[][] {
  const words = input.split("\n").map((line) => xargsWords(line, false));
  const full = words.filter(({ length }) => length > 0);
  return Array.from({ length: Math.ceil(full.length / lines) }, (_, at) =>
    full.slice(at * lines, (at + 1) * lines).flat(),
  );
}

function unquoted(part: string): string {
  return part.startsWith("\\") ? part.slice(1) : part.slice(1, -1);
}

/**
 * The result of an operator on whole numbers; undefined for operators that are right as they are, null for what
 * JavaScript's numbers do not hold exactly.
 */
export function exactly(a: number, b: number, operator: string): number | null | undefined {
  const result = resultOf(a, b, operator);
  return result === undefined || Number.isSafeInteger(result) ? result : null;
}

function resultOf(a: number, b: number, operator: string): number | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "**":
      return b < 0 ? undefined : a ** b;
    case "<<":
      return Number(BigInt.asIntN(64, BigInt(a) << BigInt(b & 63)));
    case ">>":
      return Number(BigInt(a) >> BigInt(b & 63));
    case "&":
      return Number(BigInt(a) & BigInt(b));
    case "|":
      return Number(BigInt(a) | BigInt(b));
    case "^":
      return Number(BigInt(a) ^ BigInt(b));
    default:
      return undefined;
  }
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

export { comparable, formatted, numberText } from "./awk-numbers.ts";
export { grepPattern } from "./text/posix-regex.ts";
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

/** The records of awk's input. */
export function records(input: string, separator = "\n"): string[] {
  if (separator === "") return input.split(/\n\n+|^\n|\n$/).filter((paragraph) => paragraph !== "");
  if (separator.length === 1) return input.split(separator);
  const found: string[] = [];
  let from = 0;
  for (const { 0: end, index } of input.matchAll(posixRegex(separator, "extended", "g"))) {
    if (end === "") continue;
    found.push(input.slice(from, index));
    from = index + end.length;
  }
  return [...found, input.slice(from)];
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

/** What a builtin has read: text, where its bytes are some. */
export function heard(bytes: string): string {
  if (!/[\u0080-\u00ff]/.test(bytes) || /[\u0100-\uffff]/.test(bytes)) return bytes;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytesOfLatin1(bytes));
  } catch {
    return bytes;
  }
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

/** Whether what stands behind `((` is commands: the inner parenthesis does not end just before the outer one. */
export function areSubshells(script: string, from: number): boolean {
  const part = /'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[()]/g;
  part.lastIndex = from;
  let depth = 1;
  for (let found = part.exec(script); found !== null; found = part.exec(script)) {
    if (found[0] === "(") depth++;
    else if (found[0] === ")" && --depth === 0) return script.charAt(part.lastIndex) !== ")";
  }
  return false;
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
