/** Functions that the patches to just-bash in wasm/shell-repairs call. */

import { outsideSubstitutions } from "./shell/parentheses.ts";

/** The interpreter in a script's `#!` line; null if it is missing, a shell, or another command available here. */
export function otherInterpreter(script: string): string | null {
  const [, program = "", ...words] = /^#![ \t]*(\S+)(?:[ \t]+(?:-S[ \t]+)?(\S+))?/.exec(script) ?? [];
  const name = (/(?:^|\/)env$/.test(program) ? words[0] : program)?.split("/").at(-1) ?? "";
  return name === "" || /^(?:ba|da|k|z|a)?sh$|^(?:[gmn]?awk|sed|jq|busybox)$/.test(name) ? null : name;
}

export { bytesOfLatin1, latin1Of, utf8Bytes } from "../runtime/text-encoding.ts";
export { expandAlternatives } from "./expansion/alternatives.ts";
export { ansiQuoted } from "./expansion/ansi-quoted.ts";
export {
  addedTo,
  assignmentText,
  attributesOf,
  declaration,
  declared,
  settled,
  settleList,
  withAttributes,
} from "./expansion/attributes.ts";
export { formatBytes } from "./expansion/byte-widths.ts";
export { expandChanged, expandElementwise } from "./expansion/elementwise.ts";
export { enterSource, frames, isFrames } from "./expansion/frames.ts";
export { hideOuter } from "./expansion/locals.ts";
export { backslashed, quoted } from "./expansion/quoting.ts";
export { compiled, replaced, replacementText, withMatch, withoutMatch } from "./expansion/replacement.ts";
export { asPatterns, matchEach } from "./expansion/split-globs.ts";
export { fileComplaints } from "./files/complaints.ts";
export { beginReading } from "./files/devices.ts";
export { inLocale, whole, wholeWords } from "./locale.ts";
export { Choices } from "./select.ts";
export { notInLoop, testProblem } from "./shell/builtin-errors.ts";
export { decodeInput, isContinuationByte, plainEnd, readCharacters } from "./shell/decode-input.ts";
export { isDiscarding, lineOf, notDiscarded } from "./shell/discarded.ts";
export { exec, isLasting } from "./shell/exec.ts";
export { functionText } from "./shell/functions.ts";
export { globstar } from "./shell/globstar.ts";
export { dropIndices, indexElement, largest, sortedIndices } from "./shell/indices.ts";
export {
  exactResult,
  formatFloat,
  formatInteger,
  isInvalidNumber,
  parseInteger,
  parseLongNumeral,
} from "./shell/integers.ts";
export { asSubshell, recordJob, umask, wait } from "./shell/jobs.ts";
export { listAssignmentText, parsePairs, withWholeKeys } from "./shell/lists.ts";
export { addParts, addRest, inOrder, isSameTarget } from "./shell/output-order.ts";
export { arithmeticText, isComment, isNestedSubshell, withoutQuotes } from "./shell/parentheses.ts";
export {
  arrayOf,
  inheritArrayKind,
  resolveReference,
  startingOptions,
  withoutAssignments,
} from "./shell/references.ts";
export { countShell, exportedNames } from "./shell/shells.ts";
export {
  enterPipe,
  inputTaken,
  isUnread,
  outsideLoops,
  prependOutput,
  prependSubstitutionOutput,
  resolveTargets,
  withoutInput,
  withoutNul,
  withSeparateStdout,
} from "./shell/streams.ts";
export {
  complainOfFile,
  hasCommandSubstitution,
  leftInput,
  lendInput,
  recordDuration,
  timed,
} from "./shell/substitutions.ts";
export { isMemoryError, runTimers } from "./stop-signal.ts";
export { lowerCase, upperCase } from "./text/letter-case.ts";
export { grepInput, grepOutput, isGrepFlag } from "./text/options.ts";
export { conditionRegex, grepPattern } from "./text/posix-regex.ts";
export { characterCount } from "./text/width.ts";
export { formatTime } from "./time/format.ts";
export {
  kill,
  runErrTrap,
  runShell,
  runSubstitution,
  trap,
  withTraps,
} from "./traps.ts";

/** Positional parameters of a script or a function. */
export function positionalParameters(env: ReadonlyMap<string, string>): string[] {
  return Array.from({ length: Number(env.get("#") ?? 0) }, (_, at) => env.get(String(at + 1)) ?? "");
}

/** The working directory if none is given to `grep -r`, which then prints paths without it. */
export const IMPLIED = "./.";

/** Path that `grep -r` prints for a file. */
export function pathWithin(directory: string, name: string): string {
  if (directory === IMPLIED) return name;
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

/** The separator of the words of `$*`: the first character of IFS. */
export function fieldSeparator(env: ReadonlyMap<string, string>): string {
  return (env.get("IFS") ?? " ").slice(0, 1);
}

/** Quotes the value of `[key]=value`, if necessary, so that `declare` can read it. */
export function quoteElement(element: string): string {
  const [, key = "", value = ""] = /^(\[[^\]]+\]=)([^]*)$/.exec(element) ?? [];
  return /[\s"'\\$`(){}]/.test(value) ? `${key}'${value.replaceAll("'", "'\\''")}'` : element;
}

interface Globbing {
  readonly cwd: string;
  readonly fs: {
    resolvePath(base: string, path: string): string;
    stat(path: string): Promise<{ readonly isDirectory: boolean }>;
  };
}

/** Keeps only directories, each with a slash at its end, for patterns that end with a slash. */
export async function onlyDirectories({ fs, cwd }: Globbing, paths: readonly string[]): Promise<string[]> {
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

/** Parses `${content}` into a part of a word. */
export function parseBraced(parser: Parser, content: string): object | undefined {
  return parser.parse(`: "\${${content}}"`).statements[0]?.pipelines[0]?.commands[0]?.args[0]?.parts?.[0];
}

/** Parses a text in double quotes into a part of a word. */
export function parseQuoted(parser: Parser, text: string): object | undefined {
  const bare = (part: string) => part.replace(/\\[^]|"/g, (found) => (found === '"' ? "" : found));
  const script = `: "${outsideSubstitutions(text, bare)}"`;
  return parser.parse(script).statements[0]?.pipelines[0]?.commands[0]?.args[0]?.parts?.[0];
}

const BRACKETS = /\[[!^]?\]?(?:\[:[a-z]+:\]|\\[^]|[^\]\\[])*\]/y;

/** Length of the bracket expression at an offset of a pattern; 0 if there is none. */
export function bracketLengthAt(pattern: string, at: number): number {
  BRACKETS.lastIndex = at;
  return BRACKETS.exec(pattern)?.[0].length ?? 0;
}

/** Splits joined options of mapfile into separate words. */
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

/** Whether a command's name contains an expansion, which may yield several words or none. */
export function isExpanded({ parts = [] }: Pick<WordPart, "parts">): boolean {
  return parts.some(
    (part) => /^(?:Parameter|Arithmetic)Expansion$|^CommandSubstitution$/.test(part.type) || isExpanded(part),
  );
}
