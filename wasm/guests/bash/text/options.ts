import type { CustomCommand } from "just-bash/browser";
import { adapted, type Context, type Result, type Run } from "../adapted.ts";
import { argumentsInLocale, eachByte, hasByteCharacters, withByteEscapes } from "../locale.ts";

/** The grep commands, whose many forms of options are rewritten for just-bash. */
export const OPTION_COMMANDS: readonly CustomCommand[] = ["grep", "egrep", "fgrep"].map((name) => adapted(name, grep));

const GREP_VALUES: Readonly<Record<string, string>> = {
  "--after-context": "-A",
  "--before-context": "-B",
  "--context": "-C",
  "--file": "-f",
  "--max-count": "-m",
  "--regexp": "-e",
};
/** Options without effect here because output is never coloured. */
const NEEDLESS = /^--(?:colou?r(?:=.*)?|line-buffered|binary|binary-files=binary)$/;

/** Runs grep, and ends listed file names with NUL for `-Z`. */
async function grep(args: string[], run: Run, context: Context): Promise<Result> {
  const options = apart(argumentsInLocale(args, context));
  if (hasByteCharacters(context)) withBytes(options);
  // Nothing is printed from the lines of a file, so it may be a binary one.
  if (options.some((arg) => /^-[a-zA-Z]*[clLq]|^--(?:count|files-with|quiet|silent)/.test(arg))) options.unshift("-a");
  if (options.some((arg) => ZERO.test(arg))) withLineEnd(options);
  if (await isOneFile(options, context)) options.unshift("-h");
  const isListed = options.some((arg) => /^-[a-zA-Z]*[lL]|^--files-with/.test(arg));
  if (!isListed || !options.some((arg) => arg === "--null" || /^-[a-zA-Z]*Z/.test(arg))) return run(options);
  const result = await run(options.map((arg) => (arg === "--null" ? "-s" : arg.replace(/^-([a-zA-Z]*)Z/, "-$1s"))));
  return { ...result, stdout: result.stdout.replaceAll("\n", "\0") };
}

/** How just-bash's grep is to treat lines and files, besides its own options. */
interface GrepFlags {
  named?: boolean;
  silent?: boolean;
  zero?: boolean;
  text?: boolean;
  skips?: boolean;
  readonly context: Context;
  /** Messages about binary files. */
  binary: string;
}

const FLAGS: Readonly<Record<string, "named" | "silent" | "zero" | "text" | "skips">> = {
  H: "named",
  "--with-filename": "named",
  s: "silent",
  "--no-messages": "silent",
  z: "zero",
  "--null-data": "zero",
  a: "text",
  "--text": "text",
  "--binary-files=text": "text",
  I: "skips",
  "--binary-files=without-match": "skips",
};
const ZERO = /^-[a-zA-Z]*z|^--null-data$/;
const PERL = /^-[a-zA-Z]*P|^--perl-regexp$/;
/** Stands for the end of a line within a record of `-z`; expressions take it for space. */
const LINE_END = "\v";

/** Notes a flag that just-bash's grep does not know. */
export function isGrepFlag(flags: GrepFlags, flag: string): boolean {
  const name = FLAGS[flag];
  if (name !== undefined) flags[name] = true;
  return name !== undefined;
}

/** The characters of a text in grep's locale; the records of `-z`, which end with NUL, become lines. */
export function grepInput({ zero, context }: GrepFlags, whole: string): string {
  const text = hasByteCharacters(context) ? eachByte(whole) : whole;
  return zero === true ? text.replaceAll("\n", LINE_END).replaceAll("\0", "\n") : text;
}

/** What a file contributes to the output. */
export function grepOutput(
  flags: GrepFlags,
  result: { readonly output: string; readonly matched: boolean },
  { name, text }: { readonly name: string; readonly text: string },
): object {
  if (flags.zero === true && flags.text !== true)
    return { ...result, output: result.output.replaceAll("\n", "\0").replaceAll(LINE_END, "\n") };
  if (!result.matched || !text.includes("\0")) return result;
  if (flags.skips === true) return { ...result, output: "", matched: false };
  if (flags.text === true) return result;
  flags.binary += `grep: ${name}: binary file matches\n`;
  return { ...result, output: "" };
}

/** Index of the first pattern. */
function patternAt(options: readonly string[]): number {
  return options.findIndex((arg, index) => !/^-./.test(arg) && !/^-[fmABC]$/.test(options[index - 1] ?? ""));
}

/** Replaces escapes of bytes beyond ASCII in the pattern of `-P`. */
function withBytes(options: string[]): void {
  const at = patternAt(options);
  if (at !== -1 && options.some((arg) => PERL.test(arg)))
    options[at] = eachByte(withByteEscapes(options[at] ?? "", "sed"));
}

/** Changes the pattern of `-z` for what stands there for the end of a line. */
function withLineEnd(options: string[]): void {
  const at = patternAt(options);
  const isPerl = options.some((arg) => PERL.test(arg)) && options[at]?.includes("(?s)") === false;
  const changed = (found: string) => (found === "\\n" ? LINE_END : found === "." && isPerl ? `[^${LINE_END}]` : found);
  if (at !== -1) options[at] = (options[at] ?? "").replace(/\\[^]|\[[^\][]*\]|\./g, changed);
}

/** Whether `-r` is given a single file, whose name GNU's grep does not print. */
async function isOneFile(options: readonly string[], { fs, cwd }: Context): Promise<boolean> {
  if (!options.some((option) => /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive$/.test(option))) return false;
  if (options.some((option) => /^-[a-zA-Z]*H|^--with-filename$/.test(option))) return false;
  const operands = options.filter((word, at) => !/^-./.test(word) && !/^-[efmABC]$/.test(options[at - 1] ?? ""));
  const [file, ...others] = options.some((option) => /^-[ef]$/.test(option)) ? operands : operands.slice(1);
  if (file === undefined || others.length > 0) return false;
  return fs.stat(fs.resolvePath(cwd, file)).then(
    ({ isFile }) => isFile,
    () => false,
  );
}

/** Separates options that take a value, as just-bash requires: `-nA2` becomes `-n -A 2`. */
function apart(args: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return [...found, ...args.slice(at)];
    if (NEEDLESS.test(arg)) continue;
    const [, name = "", value] = /^(--[a-z-]+)(?:=([^]*))?$/.exec(arg) ?? [];
    const short = GREP_VALUES[name];
    if (short !== undefined) found.push(short, value ?? args[++at] ?? "");
    else if (/^--(?:include|exclude|exclude-dir)$/.test(arg)) found.push(`${arg}=${args[++at] ?? ""}`);
    else if (/^-\d+$/.test(arg)) found.push("-C", arg.slice(1));
    else {
      const [, flags = "", letter, joined = ""] = /^-([^-efmABC]*)([efmABC])([^]*)$/.exec(arg) ?? [];
      if (letter === undefined || flags !== "") found.push(...flag(letter === undefined ? arg : `-${flags}`));
      if (letter !== undefined) found.push(`-${letter}`, ...(joined === "" ? args.slice(++at, at + 1) : [joined]));
    }
  }
  return found;
}

function flag(arg: string): string[] {
  if (!/^-[a-zA-Z]+$/.test(arg)) return [arg];
  const known = arg.replace(/U/g, "").replaceAll("y", "i");
  return known === "-" ? [] : [known];
}
