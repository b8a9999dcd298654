import type { CustomCommand } from "just-bash/browser";
import { adapted, type Context, type Result, type Run } from "../adapted.ts";

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
/** Options without effect here because output is never coloured and no file is treated as binary. */
const NEEDLESS = /^--(?:colou?r(?:=.*)?|line-buffered|text|binary|binary-files=.*)$/;

/** Runs grep, and ends listed file names with NUL for `-Z`. */
async function grep(args: string[], run: Run, context: Context): Promise<Result> {
  const options = apart(args);
  if (await isOneFile(options, context)) options.unshift("-h");
  const isListed = options.some((arg) => /^-[a-zA-Z]*[lL]|^--files-with/.test(arg));
  if (!isListed || !options.some((arg) => arg === "--null" || /^-[a-zA-Z]*Z/.test(arg))) return run(options);
  const result = await run(options.map((arg) => (arg === "--null" ? "-s" : arg.replace(/^-([a-zA-Z]*)Z/, "-$1s"))));
  return { ...result, stdout: result.stdout.replaceAll("\n", "\0") };
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
  const known = arg.replace(/[aIU]/g, "").replaceAll("y", "i");
  return known === "-" ? [] : [known];
}
