import { defineCommand, type ResolvedCommandContext } from "just-bash/browser";
import { textOfBytes } from "../../runtime/text-encoding.ts";
import { type Env, type Filter, type Host } from "./filters.ts";
import { functionNames, Halt, LANGUAGE } from "./functions.ts";
import { parse } from "./grammar.ts";
import { Inputs, type Source } from "./inputs.ts";
import { type Layout, Reader, textOf } from "./json.ts";
import { withValue } from "./names.ts";
import { type Options, optionsOf, UsageError } from "./options.ts";
import { ProgramError } from "./tokens.ts";
import { isTrue, JqError, type Json } from "./values.ts";

const USAGE = `Usage: jq [OPTIONS] FILTER [FILES...]
       jq [OPTIONS] -f FILE [FILES...]
Options: -n -R -s -c -r -j -a -S -e --tab --indent N --stream --seq --raw-output0
         --arg NAME TEXT, --argjson NAME JSON, --slurpfile NAME FILE, --rawfile NAME FILE, --args, --jsonargs
`;
/** Exit codes. */
const BAD_USAGE = 2;
const BAD_PROGRAM = 3;
const NO_OUTPUT = 4;
const FAILED = 5;
/** Number of steps between checks of the time limit. */
const LOOK_EVERY = 1_024;

/** Evaluates filters of jq. Source of what it does: the manual of jq 1.8. */
export const jq = defineCommand("jq", async (args, context) => {
  const run: Run = { stdout: [], stderr: [], exitCode: 0, size: 0 };
  try {
    const options = optionsOf(args);
    if (options.flags.has("h")) return done({ ...run, stdout: [USAGE] });
    if (options.flags.has("V")) return done({ ...run, stdout: ["jq-1.8\n"] });
    await evaluate(options, context, run);
  } catch (error) {
    fail(error, run);
  }
  return done(run);
});

interface Run {
  readonly stdout: string[];
  readonly stderr: string[];
  exitCode: number;
  /** Characters of the output so far. */
  size: number;
}

function done({ stdout, stderr, exitCode }: Run): { stdout: string; stderr: string; exitCode: number } {
  return { stdout: stdout.join(""), stderr: stderr.join(""), exitCode };
}

function fail(error: unknown, run: Run): void {
  if (error instanceof Halt) {
    run.exitCode = error.exitCode;
    run.stderr.push(error.text);
  } else if (error instanceof UsageError) {
    run.exitCode = BAD_USAGE;
    run.stderr.push(`jq: error: ${error.message}\nUse jq --help for help with command-line options\n`);
  } else if (error instanceof ProgramError) {
    run.exitCode = BAD_PROGRAM;
    run.stderr.push(`jq: error: ${error.message}\njq: 1 compile error\n`);
  } else if (error instanceof JqError) {
    run.exitCode = FAILED;
    const { value } = error;
    run.stderr.push(`jq: error: ${typeof value === "string" ? value : `(not a string): ${textOf(value)}`}\n`);
  } else if (isTooDeep(error)) {
    run.exitCode = FAILED;
    run.stderr.push("jq: error: the filter recurses too deeply\n");
  } else throw error;
}

function isTooDeep(error: unknown): boolean {
  return error instanceof Error && /stack/i.test(error.message) && /^(?:Internal|Range)Error$/.test(error.name);
}

async function evaluate(options: Options, context: ResolvedCommandContext, run: Run): Promise<void> {
  const { flags } = options;
  const named = new Map(options.named);
  for (const { name, file, isRaw } of options.ofFiles) {
    const text = await readFile(file, context);
    if (text === null) throw new UsageError(`Bad JSON in --${isRaw ? "raw" : "slurp"}file ${name} ${file}`);
    named.set(name, isRaw ? text : valuesOf(text));
  }
  const environment = new Map(Object.entries(context.exportedEnv ?? {}));
  const variables = new Map<string, Json>([
    ["ENV", environment],
    [
      "ARGS",
      new Map<string, Json>([
        ["positional", options.positional],
        ["named", named],
      ]),
    ],
    ["__prog_name", "jq"],
    ...named,
  ]);
  const source = options.programFile === null ? options.program : await readFile(options.programFile, context);
  if (source === null && options.programFile !== null)
    throw new UsageError(`Could not open ${options.programFile}: No such file or directory`);
  const filter = parse(source ?? ".", LANGUAGE, variables.keys());
  const inputs = new Inputs(await sourcesOf(options, context, run), flags);
  const host = hostOf(inputs, { environment, context, run });
  const env = [...variables].reduce<Env>((inner, [name, value]) => withValue(inner, name, value), {
    host,
    name: "",
    next: null,
  });
  runAll({ filter, env, inputs }, options, run);
}

interface Program {
  readonly filter: Filter;
  readonly env: Env;
  readonly inputs: Inputs;
}

/** An error ends the input that it is of; what cannot be read ends all. */
function runAll({ filter, env, inputs }: Program, options: Options, run: Run): void {
  const print = printer(options, run);
  let last: Json | undefined;
  const one = (value: Json) => {
    try {
      filter({ value, path: null }, env, (result) => {
        last = result.value;
        print(result.value);
      });
    } catch (error) {
      if (inputs.failed || !(error instanceof JqError)) throw error;
      fail(error, run);
    }
  };
  try {
    if (options.flags.has("n")) one(null);
    else for (let value = inputs.next(); value !== undefined; value = inputs.next()) one(value);
  } catch (error) {
    fail(error, run);
    if (inputs.failed) run.exitCode = BAD_USAGE;
    return;
  }
  if (options.flags.has("e") && run.exitCode === 0)
    run.exitCode = last === undefined ? NO_OUTPUT : isTrue(last) ? 0 : 1;
}

function printer({ flags, indent }: Options, run: Run): (value: Json) => void {
  const spaces = flags.has("tab") ? "\t" : " ".repeat(indent ?? 2);
  const layout: Layout = {
    indent: flags.has("c") || spaces === "" ? null : spaces,
    sortsKeys: flags.has("S"),
    ascii: flags.has("a"),
  };
  const isRaw = flags.has("r") || flags.has("j") || flags.has("raw-output0");
  const end = flags.has("j") ? "" : flags.has("raw-output0") ? "\0" : "\n";
  const start = flags.has("seq") ? "\u001e" : "";
  return (value) => {
    const text = isRaw && typeof value === "string" ? value : textOf(value, layout);
    run.size += text.length;
    if (run.size > MAX_PRINTED) throw new Halt(FAILED, "jq: error: the output is too long\n");
    run.stdout.push(`${start}${text}${end}`);
  };
}

/** Maximum output of the shell, in characters. */
const MAX_PRINTED = 8_388_608;

interface Surroundings {
  readonly environment: ReadonlyMap<string, string>;
  readonly context: ResolvedCommandContext;
  readonly run: Run;
}

function hostOf(inputs: Inputs, { environment, context, run }: Surroundings): Host {
  let steps = 0;
  return {
    input: () => inputs.next(),
    lineNumber: () => inputs.lines,
    fileName: () => inputs.fileName,
    complain: (text) => run.stderr.push(text),
    env: environment,
    functions: functionNames,
    step: () => {
      if (++steps % LOOK_EVERY === 0) context.executionScope?.throwIfAborted("jq");
    },
  };
}

async function sourcesOf({ files }: Options, context: ResolvedCommandContext, run: Run): Promise<Source[]> {
  if (files.length === 0) return [{ name: null, text: pipedText(context) }];
  const sources: Source[] = [];
  for (const name of files) {
    const text = await readFile(name, context);
    if (text !== null) sources.push({ name, text });
    else {
      run.exitCode = BAD_USAGE;
      run.stderr.push(`jq: error: Could not open ${name}: No such file or directory\n`);
    }
  }
  return sources;
}

/** Reads a file; null if it cannot be read. */
async function readFile(path: string, context: ResolvedCommandContext): Promise<string | null> {
  if (path === "-" || path === "/dev/stdin") return pipedText(context);
  const { fs, cwd } = context;
  try {
    return await fs.readFile(fs.resolvePath(cwd, path));
  } catch {
    return null;
  }
}

function pipedText({ stdin }: ResolvedCommandContext): string {
  const bytes: unknown = stdin; // A text with one character for each byte.
  return typeof bytes === "string" ? textOfBytes(bytes) : "";
}

function valuesOf(text: string): Json[] {
  const values: Json[] = [];
  for (const reader = new Reader(text); !reader.isAtEnd(); ) values.push(reader.value());
  return values;
}
