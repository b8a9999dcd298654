import { defineCommand } from "just-bash/browser";
import { textKeepingBytes, textOfEachByte } from "../../runtime/text-encoding.ts";
import { argumentsInLocale, hasByteCharacters } from "../locale.ts";

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

/** Options that a command accepts. */
export interface Options {
  /** Letters without a value. */
  readonly flags: string;
  /** Letters with a required value. */
  readonly values?: string;
  /** Letters that may be repeated; their values are concatenated. */
  readonly repeated?: string;
  /** Letters with an optional value, which must be joined to the letter. */
  readonly optional?: string;
  /** The letter of each long name. */
  readonly long?: Readonly<Record<string, string>>;
  /** Set if the output has one character for each byte. */
  readonly bytes?: true;
}

/** Parsed arguments of a command and its context. */
export interface Call {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
  readonly operands: readonly string[];
  readonly context: Context;
  /** Messages about unreadable files; if there are any, the exit code is at least 1. */
  readonly complaints: string[];
}

export interface Input {
  readonly name: string;
  /** One character for each byte. */
  readonly bytes: string;
  /** Whether each byte is a character of the text, too. */
  readonly hasByteCharacters: boolean;
}

/** Error that ends a command with a message and an exit code. */
export class Refusal extends Error {
  readonly exitCode: number;

  constructor(sentence: string, exitCode = 1) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/** Output of a command; its exit code if it is not 0; the bytes of standard input it took if not all. */
type Ended = string | readonly [text: string, exitCode: number, taken?: number];

/** Defines a command. */
export function textCommand(
  name: string,
  options: Options,
  run: (call: Call) => Promise<Ended>,
): ReturnType<typeof defineCommand> {
  return defineCommand(name, async (args, context) => {
    const complaints: string[] = [];
    const stderr = () => complaints.map((one) => `${name}: ${one}\n`).join("");
    try {
      const ended = await run({ ...parse(argumentsInLocale(args, context), options), context, complaints });
      const [stdout, exitCode, taken] = typeof ended === "string" ? [ended, 0] : ended;
      return {
        stdout,
        stderr: stderr(),
        exitCode: exitCode === 0 && complaints.length > 0 ? 1 : exitCode,
        ...(options.bytes === true ? { stdoutKind: "bytes" as const } : {}),
        ...(taken === undefined ? {} : { internalStdinConsumed: taken }),
      };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      complaints.push(error.message);
      return { stdout: "", stderr: stderr(), exitCode: error.exitCode };
    }
  });
}

function parse(
  args: readonly string[],
  { flags, values = "", optional = "", repeated = "", long = {} }: Options,
): Pick<Call, "flags" | "values" | "operands"> {
  const found = { flags: new Set<string>(), values: new Map<string, string>(), operands: new Array<string>() };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      found.operands = found.operands.concat(args.slice(at + 1));
      break;
    }
    if (!/^-./.test(arg)) {
      found.operands.push(arg);
      continue;
    }
    const [, name, joined] = /^--([^=]+)(?:=([^]*))?$/.exec(arg) ?? [];
    const letters = name === undefined ? arg.slice(1) : (long[name] ?? "");
    if (letters === "") throw new Refusal(`unrecognized option '${arg}'`);
    for (let position = 0; position < letters.length; position++) {
      const letter = letters.charAt(position);
      if (flags.includes(letter)) found.flags.add(letter);
      else if (optional.includes(letter)) {
        found.values.set(letter, joined ?? letters.slice(position + 1));
        break;
      } else if (values.includes(letter)) {
        const value = joined ?? (letters.slice(position + 1) || args[++at]);
        if (value === undefined) throw new Refusal(`option requires an argument -- '${letter}'`);
        found.values.set(letter, repeated.includes(letter) ? (found.values.get(letter) ?? "") + value : value);
        break;
      } else throw new Refusal(`invalid option -- '${letter}'`);
    }
  }
  return found;
}

/** Reads the named files; reads standard input for `-` or if there are no names. */
export async function inputsOf({ operands, context, complaints }: Call, names = operands): Promise<Input[]> {
  const inputs: Input[] = [];
  for (const name of names.length > 0 ? names : ["-"]) {
    try {
      const bytes = name === "-" ? pipedBytes(context) : await bytesOf(context, name);
      inputs.push({ name, bytes, hasByteCharacters: hasByteCharacters(context) });
    } catch (error) {
      complaints.push(`${name}: ${reasonOf(error)}`);
    }
  }
  return inputs;
}

/** Standard input, one character for each byte. */
export function pipedBytes({ stdin }: Context): string {
  const bytes: unknown = stdin;
  return typeof bytes === "string" ? bytes : "";
}

function bytesOf({ fs, cwd }: Context, name: string): Promise<string> {
  return fs.readFile(fs.resolvePath(cwd, name), "binary");
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes("ENOENT")) return "No such file or directory";
  return message.includes("EISDIR") ? "Is a directory" : message;
}

export function textOf({ bytes, hasByteCharacters }: Input): string {
  return hasByteCharacters ? textOfEachByte(bytes) : textKeepingBytes(bytes);
}

/** Splits a text into lines; the last may lack its end. */
export function linesOf(text: string, end = "\n"): string[] {
  const lines = text.split(end);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Splits a line at blanks, by what is between them: to split by a pattern takes the engine ten times as long. */
export function wordsOf(line: string): string[] {
  return line.trim().match(/[^ \t]+/g) ?? [""];
}

export function linesWithEnds(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  return [...lines.map((line) => `${line}\n`), ...(last === "" ? [] : [last])];
}

export function joined(lines: readonly string[], end = "\n"): string {
  return lines.length === 0 ? "" : lines.join(end) + end;
}

/** Parses an option's value as a whole number. */
export function numberOf(value: string | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (!/^\d+$/.test(value)) throw new Refusal(`invalid number: '${value}'`);
  return Number(value);
}
