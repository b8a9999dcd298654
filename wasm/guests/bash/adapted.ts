import { type CustomCommand, defineCommand } from "just-bash/browser";
import { utf8Bytes } from "../runtime/text-encoding.ts";
import { deviceBytes, requireWhole } from "./files/devices.ts";
import { sizeOf } from "./files/sizes.ts";
import { argumentsInLocale, inLocale, isByteLocale } from "./locale.ts";
import { addParts } from "./shell/output-order.ts";
import { linesWithEnds, pipedBytes } from "./text/command.ts";
import { posixRegex } from "./text/posix-regex.ts";

export type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];
export type Result = Awaited<ReturnType<Parameters<typeof defineCommand>[1]>>;

/** Commands of just-bash whose arguments are rewritten into forms that just-bash understands. */
export const ADAPTED_COMMANDS: readonly CustomCommand[] = [
  adapted("cat", cat),
  adapted("echo", async (args, run) => (/^-[nE]*e/.test(args[0] ?? "") ? withBytes(args, run, ZERO_OCTAL) : run(args))),
  adapted("expr", expr),
  adapted("head", head),
  adapted("printf", printf),
  adapted("tail", tail),
];

export type Run = (args: string[]) => Promise<Result>;

export function adapted(
  name: string,
  execute: (args: string[], run: Run, context: Context) => Promise<Result>,
): CustomCommand {
  return defineCommand(name, async (args, context) => {
    const { origCommand } = context;
    if (origCommand === undefined) return failed(`${name}: command not found`, 127);
    try {
      return await execute(args, origCommand, context);
    } catch (error) {
      return failed(`${name}: ${error instanceof Error ? error.message : String(error)}`, 2);
    }
  });
}

export function failed(sentence: string, exitCode: number): Result {
  return { stdout: "", stderr: `${sentence}\n`, exitCode };
}

/** Escapes of non-ASCII bytes: OCTAL as in a format of printf, ZERO_OCTAL as in echo and `%b`. */
const OCTAL = /\\(?:\\|x([89a-f][\da-f])|([23][0-7]{2}))/gi;
const ZERO_OCTAL = /\\(?:\\|x([89a-f][\da-f])|0([23][0-7]{2}))/gi;

/** First of the private-use characters that represent escaped bytes while just-bash, which knows only text, runs. */
const BYTE_AT = 0xf700;

/** Outputs escaped bytes unchanged; just-bash would treat each as a character and encode it as two bytes. */
async function withBytes(args: string[], run: Run, escapes: RegExp): Promise<Result> {
  const marked = args.map((arg) =>
    arg.replace(escapes, (found, hex: string | undefined, digits: string | undefined) => {
      const byte = hex === undefined ? Number.parseInt(digits ?? "", 8) : Number.parseInt(hex, 16);
      return Number.isNaN(byte) ? found : String.fromCharCode(BYTE_AT + byte);
    }),
  );
  if (marked.every((arg, index) => arg === args[index])) return run(args);
  const result = await run(marked);
  const parts = result.stdout.split(/([\uf780-\uf7ff])/u);
  const bytes = parts.map((part, index) =>
    index % 2 === 0 ? utf8Bytes(part) : String.fromCharCode(part.charCodeAt(0) - BYTE_AT),
  );
  return { ...result, stdout: bytes.join(""), stdoutKind: "bytes" };
}

/** Keeps escaped bytes only in printed output, not with `-v`, and only in the format or in arguments of `%b`. */
async function printf(args: string[], run: Run, { env }: Context): Promise<Result> {
  const at = args[0] === "-v" ? 2 : 0;
  const [given = "", ...words] = args.slice(at);
  const hasBytes = isByteLocale((name) => env.get(name));
  const format = (hasBytes ? withoutCharacters(given) : given)
    .replace(
      /\\(?:x([\da-f]{1,2})|([0-7]{1,3})|[^])/gi,
      (found, hex: string | undefined, digits: string | undefined) => {
        if (hex !== undefined) return `\\x${hex.padStart(2, "0")}`;
        return digits === undefined ? found : `\\${digits.padStart(3, "0")}`;
      },
    )
    .replace(/%(-?\d*)c/g, "%$1.1s");
  if (/%\d{1,9}\$/.test(format.replaceAll("%%", ""))) return failed("bash: printf: `$': invalid format character", 1);
  const values = withCharacters(
    given,
    words.map((word) => inLocale(env, word)),
    hasBytes,
  );
  if (at > 0) return run([...args.slice(0, at), format, ...values]);
  const isEscaped = /%b/.test(format) && !/%[^%b]/.test(format);
  if (isEscaped) return withBytes([format, ...values], run, ZERO_OCTAL);
  return withBytes([format], (marked) => run([...marked, ...values]), OCTAL);
}

/** Escapes of characters that a locale of single bytes does not have are printed as they are. */
function withoutCharacters(text: string): string {
  return text.replace(/\\(?:u([\dA-Fa-f]{1,4})|U([\dA-Fa-f]{1,8})|[^])/g, (found, short?: string, long?: string) => {
    const code = Number.parseInt(short ?? long ?? "0", 16);
    if (code < 0x80) return found;
    const hex = code.toString(16).toUpperCase();
    return code > 0xffff ? `\\\\U${hex.padStart(8, "0")}` : `\\\\u${hex.padStart(4, "0")}`;
  });
}

/** Code of the first character, which may be a single byte. */
function codeOf(text: string): number {
  const code = text.codePointAt(0) ?? 0;
  return code >= 0xdc80 && code <= 0xdcff ? code & 0xff : code;
}

/** Replaces `'a` by the character's code where the format expects a number, nothing by NUL for `%c`, and `\e` by `\033` for `%b`. */
function withCharacters(format: string, values: readonly string[], hasBytes: boolean): readonly string[] {
  const kinds =
    format.match(/%[-+ #0']*(?:[1-9]\d*)?(?:\.\d*)?[a-zA-Z%]/g)?.filter((kind) => !kind.endsWith("%")) ?? [];
  if (kinds.length === 0 || format.includes("*")) return values;
  return values.map((value, index) => {
    const kind = kinds[index % kinds.length] ?? "";
    if (kind.endsWith("b"))
      return (hasBytes ? withoutCharacters(value) : value).replace(/\\([eE]|[^])/g, (found, escape) =>
        /e/i.test(escape) ? "\\033" : found,
      );
    if (kind.endsWith("c")) return value === "" ? "\0" : value;
    const isNumber = /[diouxXeEfgG]$/.test(kind);
    return isNumber && /^['"]/.test(value) ? String(codeOf(value.slice(1))) : value;
  });
}

/** Prints the complaint about a missing file between the files around it. */
async function cat(args: string[], run: Run): Promise<Result> {
  const result = await run(args);
  if (result.stdout === "" || result.stderr === "" || args.some((arg) => /^-./.test(arg))) return result;
  const order: { parts?: number[] } = {};
  for (const arg of args) addParts(order, await run([arg]));
  return { ...result, ...order };
}

async function expr(given: string[], run: Run, context: Context): Promise<Result> {
  const args = argumentsInLocale(given, context);
  const [text, operator, pattern, ...more] = args[0] === "match" ? [args[1], ":", args[2], ...args.slice(3)] : args;
  if (operator !== ":" || text === undefined || pattern === undefined) {
    return args.includes(":") ? failed("expr: a match within another expression is not known here", 2) : run(args);
  }
  if (more.length > 0) return failed("expr: a match within another expression is not known here", 2);
  const match = posixRegex(pattern, "basic", "y").exec(text);
  const hasGroup = /(?:^|[^\\])\\\(/.test(pattern);
  const result = hasGroup ? (match?.[1] ?? "") : String(match?.[0].length ?? 0);
  return { stdout: `${result}\n`, stderr: "", exitCode: result === "" || result === "0" ? 1 : 0 };
}

const DEVICE_PART = "/tmp/.device";

/** Without the `-` that stands for standard input, if it is the last argument; just-bash reads it without, too. */
function withoutDash(args: readonly string[]): readonly string[] {
  return args.at(-1) === "-" && args.slice(0, -1).every((arg) => /^[-+]|^\d+[a-zA-Z]*$/.test(arg))
    ? args.slice(0, -1)
    : args;
}

/** Splits joined options and expands size suffixes: `-qn1` becomes `-q -n 1`, and `-c1K` becomes `-c 1024`. */
function splitOptions(args: readonly string[]): string[] {
  const words = args.flatMap((arg) => {
    const [, flags = "", value = ""] = /^-([qv]+)n(.*)$/.exec(arg) ?? [];
    return flags === "" ? [arg] : [...Array.from(flags, (flag) => `-${flag}`), "-n", ...(value === "" ? [] : [value])];
  });
  return words.flatMap((word, index) => {
    const [, option, size = ""] = /^(-c|--bytes=)?(\d+[a-zA-Z]+)$/.exec(word) ?? [];
    if (size === "" || (option === undefined && words[index - 1] !== "-c")) return [word];
    return [...(option === undefined ? [] : ["-c"]), String(sizeOf(size))];
  });
}

/** Implements `-n -N` and `-c -N` (all but the last N lines or bytes); just-bash handles the other forms. */
async function head(given: string[], run: Run, context: Context): Promise<Result> {
  const words = await withDevices(splitOptions(withoutDash(given)), context);
  const taken = takenOf(words, context);
  const at = words.findIndex(
    (word, index) =>
      /^(?:-[nc]|--(?:lines|bytes)=)-\d+$/.test(word) ||
      (/^-[nc]$/.test(word) && /^-\d+$/.test(words[index + 1] ?? "")),
  );
  if (at === -1) return { ...(await run(words)), ...taken };
  const isApart = /^-[nc]$/.test(words[at] ?? "");
  const isBytes = /^(?:-c|--bytes)/.test(words[at] ?? "");
  const count = Number((words[isApart ? at + 1 : at] ?? "").replace(/^(?:-[nc]|--(?:lines|bytes)=)?-/, ""));
  const [file = "-", ...more] = words.toSpliced(at, isApart ? 2 : 1);
  if (more.length > 0 || /^-./.test(file)) throw new Error("all but the last are known of one file here");
  const bytes = await bytesOf(context, file);
  const kept = (isBytes ? bytes.split("") : linesWithEnds(bytes)).slice(0, -count || undefined);
  return { stdout: kept.join(""), stderr: "", exitCode: 0, stdoutKind: "bytes" };
}

/**
 * How much of standard input `head` takes; the rest is left to other commands. Throws if more is asked for than a
 * truncated device supplied to the pipe.
 */
function takenOf(words: readonly string[], context: Context): { readonly internalStdinConsumed?: number } {
  const [, option = "-n", joined = ""] = /^(-[nc]|--(?:lines|bytes)=|-(?=\d))(\d*)$/.exec(words[0] ?? "") ?? [];
  const isApart = joined === "" && words.length > 0;
  const count = Number((isApart ? words[1] : joined) || 10);
  if (words.length > (words.length === 0 ? 0 : isApart ? 2 : 1) || Number.isNaN(count)) return {};
  const piped = pipedBytes(context);
  const isBytes = /c|bytes/.test(option);
  const parts = isBytes ? piped.split("") : linesWithEnds(piped);
  requireWhole(parts.length, count);
  return { internalStdinConsumed: parts.slice(0, count).join("").length };
}

/** Replaces an endless device by a file with as many of its bytes as `-c` asks for. */
async function withDevices(args: string[], { fs }: Context): Promise<string[]> {
  const at = args.findIndex((arg) => deviceBytes(arg, 0) !== null);
  const [, joined = ""] = /^(?:-c|--bytes=)(.*)$/.exec(args.find((arg) => /^(?:-c|--bytes=)/.test(arg)) ?? "") ?? [];
  const count = joined === "" ? args[args.indexOf("-c") + 1] : joined;
  if (at === -1 || !/^\d/.test(count ?? "")) return args;
  await fs.writeFile(DEVICE_PART, deviceBytes(args[at] ?? "", sizeOf(count ?? "")) ?? "", "binary");
  return args.with(at, DEVICE_PART);
}

function bytesOf(context: Context, file: string): Promise<string> | string {
  return file === "-" ? pipedBytes(context) : context.fs.readFile(context.fs.resolvePath(context.cwd, file), "binary");
}

/** Implements `-c +N` (from byte N on); just-bash handles the other forms. */
async function tail(given: string[], run: Run, context: Context): Promise<Result> {
  const args = splitOptions(withoutDash(given));
  const at = args.findIndex(
    (arg, index) => /^(?:-c|--bytes=)\+\d+$/.test(arg) || (arg === "-c" && /^\+\d+$/.test(args[index + 1] ?? "")),
  );
  if (at === -1) return run(args);
  const isApart = args[at] === "-c";
  const from = Number((args[isApart ? at + 1 : at] ?? "").replace(/^.*\+/, ""));
  const [file = "-", ...more] = args.toSpliced(at, isApart ? 2 : 1);
  if (more.length > 0 || /^-./.test(file)) throw new Error("what begins at a byte is known of one file here");
  const bytes = await bytesOf(context, file);
  return { stdout: bytes.slice(Math.max(from - 1, 0)), stderr: "", exitCode: 0, stdoutKind: "bytes" };
}
