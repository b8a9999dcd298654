import { numberOf, valueOf } from "./json.ts";
import { JqError, type Json } from "./values.ts";

export interface Options {
  /** By their letters: `c`, `r`, `s` …, and long names that have none. */
  readonly flags: ReadonlySet<string>;
  /** Spaces of a level; null for what the flags say. */
  readonly indent: number | null;
  readonly program: string | null;
  readonly programFile: string | null;
  readonly files: readonly string[];
  readonly named: ReadonlyMap<string, Json>;
  readonly positional: readonly Json[];
  /** Variables of what files hold: a text, or a list of values. */
  readonly ofFiles: readonly { readonly name: string; readonly file: string; readonly isRaw: boolean }[];
}

/** Error in the command line. */
export class UsageError extends Error {}

const LONG: Readonly<Record<string, string>> = {
  "--compact-output": "c",
  "--raw-output": "r",
  "--join-output": "j",
  "--ascii-output": "a",
  "--sort-keys": "S",
  "--slurp": "s",
  "--null-input": "n",
  "--raw-input": "R",
  "--exit-status": "e",
  "--color-output": "C",
  "--monochrome-output": "M",
  "--binary": "b",
  "--help": "h",
  "--version": "V",
  "--tab": "tab",
  "--raw-output0": "raw-output0",
  "--unbuffered": "unbuffered",
  "--stream": "stream",
  "--seq": "seq",
};
const SHORT = new Set("crjaSsneRCMbhV");

/** Throws UsageError. */
export function optionsOf(args: readonly string[]): Options {
  const rest = [...args];
  const flags = new Set<string>();
  const named = new Map<string, Json>();
  const positional: Json[] = [];
  const words: string[] = [];
  const ofFiles: { name: string; file: string; isRaw: boolean }[] = [];
  let indent: number | null = null;
  let programFile: string | null = null;
  let takes: "files" | "texts" | "values" = "files";
  const behind = (option: string): string => {
    const arg = rest.shift();
    if (arg === undefined) throw new UsageError(`${option} takes more parameters`);
    return arg;
  };
  const word = (arg: string) => {
    if (takes === "files" || (words.length === 0 && programFile === null)) words.push(arg);
    else positional.push(takes === "texts" ? arg : jsonOf(arg, "--jsonargs"));
  };
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    const long = LONG[arg];
    if (long !== undefined) flags.add(long);
    else if (arg === "--arg") named.set(behind(arg), behind(arg));
    else if (arg === "--argjson") named.set(behind(arg), jsonOf(behind(arg), arg));
    else if (arg === "--slurpfile" || arg === "--rawfile")
      ofFiles.push({ name: behind(arg), file: behind(arg), isRaw: arg === "--rawfile" });
    else if (arg === "--args") takes = "texts";
    else if (arg === "--jsonargs") takes = "values";
    else if (arg === "--indent") indent = indentOf(behind(arg));
    else if (arg === "--from-file") programFile = behind(arg);
    else if (arg === "--") for (const one of rest.splice(0)) word(one);
    else if (/^-[A-Za-z]/.test(arg)) {
      for (const letter of arg.slice(1).replace("f", "")) {
        if (!SHORT.has(letter)) throw new UsageError(`Unknown arguments: -${letter}`);
        flags.add(letter);
      }
      if (arg.includes("f")) programFile = behind("-f");
    } else if (arg.startsWith("--")) throw new UsageError(`Unknown arguments: ${arg}`);
    else word(arg);
  }
  const program = programFile === null ? (words.shift() ?? null) : null;
  return { flags, indent, program, programFile, files: words, named, positional, ofFiles };
}

function jsonOf(text: string, option: string): Json {
  try {
    return valueOf(text);
  } catch (error) {
    if (error instanceof JqError) throw new UsageError(`Invalid JSON text passed to ${option}`);
    throw error;
  }
}

function indentOf(text: string): number {
  const spaces = Number(numberOf(text));
  if (!Number.isInteger(spaces) || spaces < 0 || spaces > 7)
    throw new UsageError("Cannot indent by other than 0 to 7 characters");
  return spaces;
}
