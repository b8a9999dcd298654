import type { CustomCommand } from "just-bash/browser";
import { eachByte, hasByteCharacters, withByteEscapes } from "../locale.ts";
import { type Call, inputsOf, linesWithEnds, Refusal, textCommand, textOf } from "./command.ts";
import { SedRun } from "./sed-run.ts";
import { type SedCommand, sedScript } from "./sed-script.ts";

const USAGE = 1;
const MISSING = 2;

/** Expressions are several options of one letter: they are joined, as lines, before the rest is read. */
const command = textCommand(
  "sed",
  {
    flags: "nErszu",
    values: "eilf",
    long: {
      quiet: "n",
      silent: "n",
      "regexp-extended": "E",
      separate: "s",
      "null-data": "z",
      unbuffered: "u",
      expression: "e",
      file: "f",
      "in-place": "i",
    },
  },
  sed,
);

export const SED: CustomCommand = {
  ...command,
  execute: async (args, context) => command.execute(withOneScript(args), context),
};

/** Joins all scripts into one option, and gives `-i` a suffix, which may be empty. */
function withOneScript(args: readonly string[]): string[] {
  const scripts: string[] = [];
  const rest: string[] = [];
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, flags = "", letter, joined = ""] = /^-([nErszu]*)([eif])([^]*)$/.exec(arg) ?? [];
    const [, longName, longValue] = /^--(expression|in-place|file)(?:=([^]*))?$/.exec(arg) ?? [];
    const option = letter ?? longName?.charAt(0);
    if (arg === "--") {
      for (const operand of args.slice(at + 1)) operands.push(operand);
      break;
    }
    if (option === "i" || longName === "in-place") rest.push("-i", `.${longValue ?? joined}`);
    else if (option !== undefined) {
      const value = longValue ?? (joined === "" ? args[++at] : joined);
      if (value === undefined) return [`-${option}`];
      if (option === "e") scripts.push(value);
      else rest.push("-f", value);
    } else if (/^-./.test(arg)) rest.push(arg);
    else operands.push(arg);
    if (flags !== "") rest.push(`-${flags}`);
  }
  if (scripts.length > 0) rest.push("-e", scripts.join("\n"));
  return [...rest, "--", ...operands];
}

async function sed(call: Call): Promise<readonly [text: string, exitCode: number, taken?: number]> {
  const { flags, values, operands, context } = call;
  let source = values.get("e");
  const file = values.get("f");
  if (file !== undefined) {
    const [script] = await inputsOf(call, [file]);
    if (script === undefined) throw new Refusal(`couldn't open file ${file}`, USAGE);
    source = [...(source === undefined ? [] : [source]), textOf(script).replace(/^#!.*/, "").replace(/\n$/, "")].join(
      "\n",
    );
  }
  const names = source === undefined ? operands.slice(1) : operands;
  source ??= operands[0];
  if (source === undefined) throw new Refusal("no script", USAGE);
  const quiet = flags.has("n") || /^#n(?:\n|$)/.test(source);
  const escaped = withByteEscapes(source, "sed");
  const program = hasByteCharacters(context) ? eachByte(escaped) : escaped;
  const commands = sedScript(program, flags.has("E") || flags.has("r") ? "extended" : "basic");
  const suffix = values.get("i")?.slice(1);
  if (suffix !== undefined && names.length === 0) throw new Refusal("no input files", USAGE);
  const files = new Map<string, string>();
  for (const { name, text, substitution } of commands) {
    const path = /^[rR]$/.test(name) ? text : "";
    if (path !== "") files.set(path, await readText(call, path));
    if (/^[wW]$/.test(name) || typeof substitution?.file === "string") files.set(substitution?.file ?? text, "");
  }
  const inputs = await inputsOf(call, names);
  const exitCode = call.complaints.length > 0 ? MISSING : 0;
  const isSeparate = flags.has("s") || suffix !== undefined;
  let output = "";
  for (const group of isSeparate ? inputs.map((input) => [input]) : [inputs]) {
    const run = new SedRun(commands, { inputs: group, quiet, end: flags.has("z") ? "\0" : "\n", files });
    run.all();
    const [first] = group;
    if (suffix !== undefined && first !== undefined) {
      const path = context.fs.resolvePath(context.cwd, first.name);
      if (suffix !== "") await context.fs.cp(path, backupOf(path, suffix));
      await context.fs.writeFile(path, run.output);
    } else output += run.output;
    if (run.exitCode !== null) {
      await writeAll(call, commands, files);
      const isPiped = names.length === 0 && first !== undefined && !flags.has("z");
      // What lies behind the line at which the script quits is left to other commands.
      if (!isPiped) return [output, run.exitCode];
      return [output, run.exitCode, linesWithEnds(first.bytes).slice(0, run.line).join("").length];
    }
  }
  await writeAll(call, commands, files);
  return [output, exitCode];
}

/** Text that the `r` command inserts; empty for missing files. */
async function readText(call: Call, path: string): Promise<string> {
  const inputs = await inputsOf({ ...call, complaints: [] }, [path === "/dev/stdin" ? "-" : path]);
  return inputs.map(textOf).join("");
}

async function writeAll(
  { context: { fs, cwd } }: Call,
  commands: readonly SedCommand[],
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const written = new Set(
    commands.flatMap(({ name, text, substitution }) =>
      /^[wW]$/.test(name) ? [text] : [substitution?.file ?? []].flat(),
    ),
  );
  for (const path of written)
    if (!path.startsWith("/dev/")) await fs.writeFile(fs.resolvePath(cwd, path), files.get(path) ?? "");
}

/** Name of the backup file; `*` in a suffix is replaced by the name of the file. */
function backupOf(path: string, suffix: string): string {
  const at = path.lastIndexOf("/") + 1;
  return suffix.includes("*") ? path.slice(0, at) + suffix.replaceAll("*", path.slice(at)) : path + suffix;
}
