import { type CustomCommand, defineCommand } from "just-bash/browser";
import { utf8Bytes } from "../runtime/text-encoding.ts";
import { dateOf } from "./relative-date.ts";
import { linesWithEnds, pipedBytes } from "./text/command.ts";
import { posixRegex } from "./text/posix-regex.ts";

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];
type Result = Awaited<ReturnType<Parameters<typeof defineCommand>[1]>>;

/** Commands of just-bash that are told what they understand, of what people write. */
export const ADAPTED_COMMANDS: readonly CustomCommand[] = [
  ...["grep", "egrep", "fgrep"].map((name) => adapted(name, async (args, run) => run(apart(args)))),
  adapted("awk", awk),
  adapted("date", date),
  adapted("echo", async (args, run) => (/^-[nE]*e/.test(args[0] ?? "") ? withBytes(args, run, ZERO_OCTAL) : run(args))),
  adapted("expr", expr),
  adapted("find", find),
  adapted("head", head),
  adapted("printf", printf),
  adapted("tail", tail),
  adapted("tr", async (args, run) => run(args.map((arg) => arg.replace(/\\(?:([0-7]{1,3})|[^])/g, octal)))),
];

type Run = (args: string[]) => Promise<Result>;

function adapted(
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

function failed(sentence: string, exitCode: number): Result {
  return { stdout: "", stderr: `${sentence}\n`, exitCode };
}

function octal(found: string, digits: string | undefined): string {
  if (digits === undefined) return found;
  const one = String.fromCharCode(Number.parseInt(digits, 8));
  return /[\\[\]-]/.test(one) ? `\\${one}` : one;
}

/** Escapes of bytes that are no ASCII: as a format of printf writes them, and as echo and `%b` do. */
const OCTAL = /\\(?:\\|x([89a-f][\da-f])|([23][0-7]{2}))/gi;
const ZERO_OCTAL = /\\(?:\\|x([89a-f][\da-f])|0([23][0-7]{2}))/gi;

/** A byte of an escape is such a character while just-bash works on the text, which knows no bytes. */
const BYTE_AT = 0xf700;

/** Bytes that escapes name come out as they are: just-bash takes each for a character, which has two in a file. */
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

/** A variable holds text. What other arguments say is written as it is, but of `%b`. */
async function printf(args: string[], run: Run): Promise<Result> {
  const [format = "", ...values] = args;
  if (format === "-v") return run(args);
  const isEscaped = /%b/.test(format) && !/%[^%b]/.test(format);
  if (isEscaped) return withBytes(args, run, ZERO_OCTAL);
  return withBytes([format], (marked) => run([...marked, ...values]), OCTAL);
}

/** grep's options that take a value stand alone, as just-bash reads them: `-nA2` is `-n -A 2`. */
function apart(args: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return [...found, ...args.slice(at)];
    const [, flags = "", letter, joined = ""] = /^-([^-efmABC]*)([efmABC])([^]*)$/.exec(arg) ?? [];
    if (letter === undefined) found.push(arg);
    else
      found.push(
        ...(flags === "" ? [] : [`-${flags}`]),
        `-${letter}`,
        ...(joined === "" ? args.slice(++at, at + 1) : [joined]),
      );
  }
  return found;
}

/** Where awk prints what are no results. */
const COMPLAINTS = "/dev/stderr";

/** Programs in files are read here, variables that are set before the first file are set from the beginning. */
async function awk(args: string[], run: Run, { fs, cwd }: Context): Promise<Result> {
  const options: string[] = [];
  const programs: string[] = [];
  let at = 0;
  for (; /^-[Fvf]/.test(args[at] ?? ""); at++) {
    const arg = args[at] ?? "";
    const value = arg.length > 2 ? arg.slice(2) : (args[++at] ?? "");
    if (arg.startsWith("-f")) programs.push(await fs.readFile(fs.resolvePath(cwd, value)));
    else options.push(arg.slice(0, 2), value);
  }
  if (args[at] === "--") at++;
  else if (/^-./.test(args[at] ?? "")) return run(args);
  const program = programs.length === 0 ? args.slice(at++, at) : [programs.join("\n")];
  const operands = args.slice(at);
  while (/^[A-Za-z_]\w*=/.test(operands[0] ?? "")) options.push("-v", operands.shift() ?? "");
  await fs.writeFile(COMPLAINTS, "");
  const result = await run([...options, ...program, ...operands]);
  return { ...result, stderr: (await fs.readFile(COMPLAINTS)) + result.stderr };
}

/** `-quit` is known where it ends what `-print` has begun. */
async function find(args: string[], run: Run, { fs, cwd }: Context): Promise<Result> {
  const file = args.includes("-newer") ? args[args.indexOf("-newer") + 1] : undefined;
  if (file !== undefined && !(await fs.exists(fs.resolvePath(cwd, file))))
    return failed(`find: '${file}': No such file or directory`, 1);
  if (!args.includes("-quit")) return run(args);
  if (args.at(-1) !== "-quit" || args.at(-2) !== "-print" || args.includes("-o"))
    throw new Error("-quit is known only at the end, behind -print");
  const result = await run(args.slice(0, -1));
  return { ...result, stdout: linesWithEnds(result.stdout)[0] ?? "" };
}

const ISO_FORMATS: Readonly<Record<string, string>> = {
  "-Is": "+%FT%H:%M:%S+00:00",
  "-Im": "+%FT%H:%M+00:00",
  "-Ih": "+%FT%H+00:00",
};

async function date(args: string[], run: Run): Promise<Result> {
  const short = args.findIndex((arg) => /^(?:-I|--iso-8601$)/.test(arg));
  if (short !== -1) {
    const format = ISO_FORMATS[(args[short] ?? "").slice(0, 3)] ?? "+%F";
    return date([...args.toSpliced(short, 1), format], run);
  }
  const at = args.findIndex((arg) => /^(?:-[uR]*d|--date)/.test(arg));
  const [, option = "", joined] = /^(-[uR]*d|--date)=?([^]*)$/.exec(args[at] ?? "") ?? [];
  const text = joined === "" ? args[at + 1] : joined;
  const found = text === undefined ? null : dateOf(text, Date.now());
  if (found === null) return run(args);
  const flags = option.startsWith("--")
    ? []
    : [...(option.includes("u") ? ["-u"] : []), ...(option.includes("R") ? ["-R"] : [])];
  return run([
    ...args.slice(0, at),
    ...flags,
    "-d",
    `@${Math.floor(found / 1000)}`,
    ...args.slice(at + (joined === "" ? 2 : 1)),
  ]);
}

async function expr(args: string[], run: Run): Promise<Result> {
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

/** All but the last lines are counted here; the rest is just-bash's. */
async function head(args: string[], run: Run, context: Context): Promise<Result> {
  const words = args.flatMap((arg) => {
    const [, flags = "", value = ""] = /^-([qv]+)n(.*)$/.exec(arg) ?? [];
    return flags === "" ? [arg] : [...Array.from(flags, (flag) => `-${flag}`), "-n", ...(value === "" ? [] : [value])];
  });
  const at = words.findIndex(
    (word, index) => /^(?:-n|--lines=)-\d+$/.test(word) || (word === "-n" && /^-\d+$/.test(words[index + 1] ?? "")),
  );
  if (at === -1) return run(words);
  const isApart = words[at] === "-n";
  const count = Number((words[isApart ? at + 1 : at] ?? "").replace(/^(?:-n|--lines=)?-/, ""));
  const [file = "-", ...more] = words.toSpliced(at, isApart ? 2 : 1);
  if (more.length > 0 || /^-./.test(file)) throw new Error("all but the last lines are known of one file here");
  const kept = linesWithEnds(await bytesOf(context, file)).slice(0, -count || undefined);
  return { stdout: kept.join(""), stderr: "", exitCode: 0, stdoutKind: "bytes" };
}

function bytesOf(context: Context, file: string): Promise<string> | string {
  return file === "-" ? pipedBytes(context) : context.fs.readFile(context.fs.resolvePath(context.cwd, file), "binary");
}

/** What begins at a byte is counted here; the rest is just-bash's. */
async function tail(args: string[], run: Run, context: Context): Promise<Result> {
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
