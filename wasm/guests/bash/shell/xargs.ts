import { type CustomCommand, defineCommand } from "just-bash/browser";
import { textKeepingBytes, utf8Bytes } from "../../runtime/text-encoding.ts";
import type { Context, Result } from "../adapted.ts";
import { singleQuoted } from "../expansion/quoting.ts";
import { pipedBytes } from "../text/command.ts";
import { endsScript, Output } from "./output.ts";

/** Maximum size of one command in bytes, counting a terminator for each word. */
const MAX_BYTES = 131_072;
const [FAILED, ENDED, NOT_RUN] = [123, 124, 126];

export const XARGS: CustomCommand = defineCommand("xargs", async (args, context) => {
  const output = new Output("xargs", context);
  try {
    return await xargs(args, output, context);
  } catch (error) {
    if (endsScript(error)) throw error;
    output.complain(error instanceof Error ? error.message : String(error));
    return output.result(1);
  }
});

const LONG: Readonly<Record<string, string>> = {
  "arg-file": "a",
  delimiter: "d",
  "max-args": "n",
  "max-chars": "s",
  "max-lines": "l",
  "max-procs": "P",
  "no-run-if-empty": "r",
  null: "0",
  replace: "i",
  verbose: "t",
};
const VALUES = "adEILnPs";
/** Options whose optional value must be joined to the letter, with their default values. */
const OPTIONAL: Readonly<Record<string, string>> = { e: "", i: "{}", l: "1" };
const FLAGS = "0rtx";

interface Asked {
  readonly options: ReadonlyMap<string, string>;
  readonly command: readonly string[];
}

function asked(args: readonly string[]): Asked {
  const options = new Map<string, string>();
  let at = 0;
  for (; at < args.length && /^-./.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      at++;
      break;
    }
    const [, name = "", given] = /^--([^=]+)(?:=([^]*))?$/.exec(arg) ?? [];
    const letters = name === "" ? arg.slice(1) : (LONG[name] ?? "");
    if (letters === "") throw new Error(`unrecognized option '${arg}'`);
    for (let position = 0; position < letters.length; position++) {
      const letter = letters.charAt(position);
      const rest = given ?? letters.slice(position + 1);
      if (FLAGS.includes(letter)) options.set(letter, "");
      else if (VALUES.includes(letter))
        options.set(letter, rest === "" && given === undefined ? (args[++at] ?? "") : rest);
      else if (OPTIONAL[letter] !== undefined) options.set({ i: "I", l: "L" }[letter] ?? "E", rest || OPTIONAL[letter]);
      else throw new Error(`invalid option -- '${letter}'`);
      if (!FLAGS.includes(letter)) break;
    }
  }
  return { options, command: at < args.length ? args.slice(at) : ["echo"] };
}

async function xargs(args: readonly string[], output: Output, context: Context): Promise<Result> {
  const { options, command } = asked(args);
  const place = options.get("I");
  const batches = batchesOf(await inputOf(options, context), options, command);
  let exitCode = 0;
  for (const words of batches) {
    const line =
      place === undefined
        ? [...command, ...words]
        : command.map((word) => word.replaceAll(place, () => words[0] ?? ""));
    if (options.has("t")) output.warn(`${line.map(shown).join(" ")}\n`);
    const ended = await output.run(line);
    if (ended === 255) {
      output.complain(`${line[0] ?? ""}: exited with status 255; aborting`);
      return output.result(ENDED);
    }
    if (ended >= NOT_RUN && ended <= NOT_RUN + 1) return output.result(ended);
    if (ended !== 0) exitCode = FAILED;
  }
  return output.result(exitCode);
}

/** A word of a command that `-t` prints, with quotes if it needs them. */
function shown(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : singleQuoted(word);
}

async function inputOf(options: ReadonlyMap<string, string>, context: Context): Promise<string> {
  const file = options.get("a");
  const bytes =
    file === undefined
      ? pipedBytes(context)
      : await context.fs.readFile(context.fs.resolvePath(context.cwd, file), "binary");
  return textKeepingBytes(bytes);
}

/** Arguments for each run of the command. Empty input gives one run without arguments, unless `-r` is set. */
function batchesOf(input: string, options: ReadonlyMap<string, string>, command: readonly string[]): string[][] {
  const units = unitsOf(input, options);
  if (options.has("I")) return units;
  const most = countOf(options.get("L") ?? options.get("n"));
  const mostBytes = Math.min(countOf(options.get("s")), MAX_BYTES);
  const room = command.reduce((left, word) => left - sizeOf(word), mostBytes);
  const batches: string[][] = [];
  let [held, bytes] = [most, 0];
  for (const unit of units) {
    const size = unit.reduce((sum, word) => sum + sizeOf(word), 0);
    if (held === most || bytes + size > room) {
      batches.push([]);
      [held, bytes] = [0, 0];
    }
    batches.at(-1)?.push(...unit);
    held += 1;
    bytes += size;
  }
  return batches.length === 0 && !options.has("r") ? [[]] : batches;
}

/** Splits the input into units that stay in one run: words, or the words of a line. */
function unitsOf(input: string, options: ReadonlyMap<string, string>): string[][] {
  const separator = options.has("0") ? "\0" : separatorOf(options.get("d"));
  if (separator !== null) {
    const items = input.split(separator);
    if (items.at(-1) === "") items.pop();
    return items.map((item) => [item]);
  }
  const end = options.get("E");
  const lines = input.split("\n");
  if (options.has("I")) {
    const whole = lines.map((line) => line.replace(/^[ \t]+/, "")).filter((line) => line !== "");
    return whole.map((line) => [wordsOf(line, /(?:'[^'\n]*'|"[^"\n]*"|\\[^]|[^'"\\])+/y).join("")]);
  }
  if (options.has("L")) return lines.map((line) => wordsOf(line, WORD)).filter((words) => words.length > 0);
  const words = wordsOf(input, WORD);
  const last = end === undefined || end === "" ? -1 : words.indexOf(end);
  return words.slice(0, last === -1 ? undefined : last).map((word) => [word]);
}

const WORD = /(?:'[^'\n]*'|"[^"\n]*"|\\[^]|[^\s'"\\])+/y;

/** Splits a text into words and removes the quotes. */
function wordsOf(text: string, word: RegExp): string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; ) {
    word.lastIndex = at;
    const [one] = word.exec(text) ?? [];
    if (one === undefined) {
      const character = text.charAt(at);
      if (/['"]/.test(character))
        throw new Error(
          `unmatched ${character === "'" ? "single" : "double"} quote; by default quotes are special to xargs unless you use the -0 option`,
        );
      at++;
    } else {
      found.push(
        one.replace(/'([^'\n]*)'|"([^"\n]*)"|\\([^])/g, (_, ...parts: string[]) => parts.slice(0, 3).join("")),
      );
      at += one.length;
    }
  }
  return found;
}

function separatorOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  const known: Readonly<Record<string, string>> = { "\\n": "\n", "\\t": "\t", "\\r": "\r", "\\0": "\0", "\\\\": "\\" };
  const separator = known[text] ?? text;
  if (Array.from(separator).length !== 1) throw new Error(`Invalid input delimiter specification ${text}`);
  return separator;
}

function countOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^0*[1-9]\d*$/.test(text)) throw new Error(`invalid number "${text}"`);
  return Number(text);
}

function sizeOf(word: string): number {
  return utf8Bytes(word).length + 1;
}
