import { type CustomCommand, defineCommand } from "just-bash/browser";
import { adapted, type Context, failed, type Result, type Run } from "../adapted.ts";
import { Refusal } from "../text/command.ts";
import { parseDate } from "../time/parse.ts";
import type { Zone } from "../time/zone.ts";
import { momentAt, wallTime, zoneOfCommand } from "../time/zones.ts";
import { modeOf } from "./install.ts";

/** File commands of just-bash whose arguments are rewritten into forms that just-bash understands. */
export const ADAPTED_FILE_COMMANDS: readonly CustomCommand[] = [
  adapted("cp", copy),
  adapted("mkdir", makeDirectories),
  adapted("mv", move),
  adapted("touch", (args, run, context) =>
    touch(args, run, context).catch((error: unknown) => {
      if (error instanceof Refusal) return failed(`touch: ${error.message}`, error.exitCode);
      throw error;
    }),
  ),
  defineCommand("mktemp", makeTemporary),
];

/** Moves the directory of `-t` to the end of the arguments. */
function withTargetLast(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => arg === "-t" || arg.startsWith("--target-directory"));
  if (at === -1) return [...args];
  const [, joined] = /^--target-directory=(.*)$/s.exec(args[at] ?? "") ?? [];
  const target = joined ?? args[at + 1] ?? "";
  return [...args.toSpliced(at, joined === undefined ? 2 : 1), target];
}

/** Fails if a file is to be copied to a missing target that ends with a slash and so must be a directory. */
async function missingDirectory(name: string, words: readonly string[], { fs, cwd }: Place): Promise<Result | null> {
  const target = words.at(-1) ?? "";
  if (!target.endsWith("/") || (await fs.exists(fs.resolvePath(cwd, target)))) return null;
  const source = words.slice(0, -1).findLast((word) => !word.startsWith("-")) ?? "";
  const status = await fs.stat(fs.resolvePath(cwd, source)).catch(() => null);
  return status?.isFile === true ? failed(`${name}: cannot create regular file '${target}': Not a directory`, 1) : null;
}

/** Mode that symbolic clauses change. */
const DIRECTORY_MODE = 0o777;

/** Implements `-m`, which gives new directories a mode, but not their new parents. */
async function makeDirectories(args: string[], run: Run, { fs, cwd }: Context): Promise<Result> {
  const words: string[] = [];
  let text: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const [, flags = "", joined = ""] = /^-([pv]*)m([^]*)$/.exec(arg) ?? /^-(-)mode=?([^]*)$/.exec(arg) ?? [];
    if (flags === "" && !arg.startsWith("-m")) words.push(arg);
    else {
      if (/^[pv]+$/.test(flags)) words.push(`-${flags}`);
      text = joined === "" ? args[++at] : joined;
    }
  }
  if (text === undefined) return run(args);
  let mode: number;
  try {
    mode = modeOf(text, DIRECTORY_MODE);
  } catch (error) {
    if (error instanceof Refusal) return failed(`mkdir: ${error.message}`, 1);
    throw error;
  }
  const paths = words.filter((word) => !/^-./.test(word)).map((name) => fs.resolvePath(cwd, name));
  const isThere = await Promise.all(paths.map((path) => fs.exists(path)));
  const result = await run(words);
  for (const [at, path] of paths.entries())
    if (isThere[at] !== true && (await fs.exists(path))) await fs.chmod(path, mode);
  return result;
}

async function move(args: string[], run: Run, context: Context): Promise<Result> {
  const words = await withNewer(withTargetLast(args), context);
  if (words === null) return NOTHING_DONE;
  const [source = "", target = "", ...others] = words.filter((word) => !word.startsWith("-"));
  const path = (name: string) => context.fs.resolvePath(context.cwd, name);
  if (others.length === 0 && path(source) === path(target) && (await context.fs.exists(path(source))))
    return failed(`mv: '${source}' and '${target}' are the same file`, 1);
  return (await missingDirectory("mv", words, context)) ?? run(words);
}

const NOTHING_DONE: Result = { stdout: "", stderr: "", exitCode: 0 };

type Place = Pick<Context, "fs" | "cwd">;

/** Implements `-u` by dropping sources that are not newer than their targets; null if none remains. */
async function withNewer(words: readonly string[], { fs, cwd }: Place): Promise<string[] | null> {
  const options = words.filter((word) => word.startsWith("-"));
  const isUpdate = (word: string) => word === "--update" || /^-[a-zA-Z]*u/.test(word);
  if (!options.some(isUpdate)) return [...words];
  const names = words.filter((word) => !word.startsWith("-"));
  const target = names.pop() ?? "";
  const statusOf = (name: string) => fs.stat(fs.resolvePath(cwd, name)).catch(() => null);
  const isWithin = (await statusOf(target))?.isDirectory === true;
  const newer: string[] = [];
  for (const name of names) {
    const own = await statusOf(name);
    if (own?.isDirectory === true) throw new Error("-u is not known here of directories");
    const there = await statusOf(isWithin ? `${target}/${name.split("/").at(-1)}` : target);
    if (own === null || there === null || own.mtime > there.mtime) newer.push(name);
  }
  const rest = options.map((word) => (isUpdate(word) ? word.replace(/^--update$|u/, "") : word));
  if (names.length > 0 && newer.length === 0) return null;
  return [...rest.filter((word) => word !== "" && word !== "-"), ...newer, target];
}

async function copy(args: string[], run: Run, { fs, cwd }: Context): Promise<Result> {
  const given = withTargetLast(args).flatMap((arg) => {
    if (arg === "--archive") return ["-r", "-p"];
    return /^-[a-zA-Z]*a/.test(arg) ? [arg.replaceAll("a", "rp")] : [arg];
  });
  const words = await withNewer(given, { fs, cwd });
  if (words === null) return NOTHING_DONE;
  const missing = await missingDirectory("cp", words, { fs, cwd });
  if (missing !== null) return missing;
  const result = await run(words);
  const target = words.at(-1) ?? "";
  if (target === "" || target.startsWith("/")) return result;
  // Just-bash prints the resolved target, but cp prints the target as written.
  return { ...result, stdout: result.stdout.replaceAll(` -> '${fs.resolvePath(cwd, target)}`, ` -> '${target}`) };
}

/** Milliseconds since the epoch of a date. */
export function momentOf(text: string, zone: Zone): number {
  const found = parseDate(text, { nowMs: Date.now(), zone });
  if (found === null) throw new Refusal(`invalid date format '${text}'`);
  return found.ms + Math.floor(Number(found.nanoseconds) / 1_000_000);
}

async function touch(args: string[], run: Run, context: Context): Promise<Result> {
  const { fs, cwd } = context;
  const at = args.findIndex((arg) => /^(?:-[acm]*[drt]|--(?:date|reference)(?:=.*)?)$/s.test(arg));
  if (at === -1) return run(args);
  const [arg = "", next = ""] = args.slice(at);
  const [, joined] = /^--\w+=(.*)$/s.exec(arg) ?? [];
  const value = joined ?? next;
  const kind = arg.startsWith("--") ? arg.charAt(2) : arg.slice(-1);
  let moment: number;
  if (kind === "d") moment = momentOf(value, zoneOfCommand(context));
  else if (kind === "t") moment = stampOf(value, zoneOfCommand(context));
  else {
    const status = await fs.stat(fs.resolvePath(cwd, value)).catch(() => null);
    if (status === null) return failed(`touch: failed to get attributes of '${value}': No such file or directory`, 1);
    moment = status.mtime.getTime();
  }
  const flags = /^-[acm]/.test(arg) ? [arg.slice(0, -1)] : [];
  const rest = args.toSpliced(at, joined === undefined ? 2 : 1);
  return run([...flags, "-d", new Date(moment).toISOString(), ...rest]);
}

/** Parses a time of the form `[[CC]YY]MMDDhhmm[.ss]`. */
function stampOf(text: string, zone: Zone): number {
  const [, year = "", month, day, hour, minute, second = "00"] =
    /^(\d\d(?:\d\d)?)?(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d\d))?$/.exec(text) ?? [];
  const thisYear = String(wallTime(zone, Date.now()).getUTCFullYear());
  const full = year === "" ? thisYear : year.length === 2 ? (Number(year) < 69 ? "20" : "19") + year : year;
  const wallMs = Date.parse(`${full}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const moment = Number.isNaN(wallMs) ? null : momentAt(zone, wallMs);
  if (moment === null) throw new Refusal(`invalid date format '${text}'`);
  return moment;
}

async function makeTemporary(args: string[], { fs, cwd }: Context): Promise<Result> {
  const flags = new Set<string>();
  const operands: string[] = [];
  let [directory, suffix] = ["", ""];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "-p" || arg === "--tmpdir") directory = arg === "-p" ? (args[++at] ?? "") : "/tmp";
    else if (/^-p.|^--(?:tmpdir|suffix)=/.test(arg)) {
      const value = arg.replace(/^-p|^--\w+=/, "");
      if (arg.startsWith("--s")) suffix = value;
      else directory = value;
    } else if (arg === "--directory" || arg === "--dry-run" || arg === "--quiet")
      flags.add(arg === "--dry-run" ? "u" : arg.charAt(2));
    else if (/^-[dqut]+$/.test(arg)) for (const flag of arg.slice(1)) flags.add(flag);
    else if (arg.startsWith("-") && arg !== "--") return failed(`mktemp: invalid option -- '${arg}'`, 1);
    else if (arg !== "--") operands.push(arg);
  }
  const [template = "tmp.XXXXXXXXXX"] = operands;
  const end = template.lastIndexOf("X") + 1;
  let begin = end;
  while (template.charAt(begin - 1) === "X") begin--;
  if (end - begin < 3) return failed(`mktemp: too few X's in template '${template}'`, 1);
  const name = template.slice(0, begin) + randomName(end - begin) + template.slice(end) + suffix;
  const within = directory || (operands.length === 0 || flags.has("t") ? "/tmp" : "");
  const path = within === "" ? name : `${within.replace(/\/$/, "")}/${name}`;
  const full = fs.resolvePath(cwd, path);
  if (!flags.has("u")) await (flags.has("d") ? fs.mkdir(full) : fs.writeFile(full, ""));
  return { stdout: `${path}\n`, stderr: "", exitCode: 0 };
}

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

function randomName(length: number): string {
  return Array.from({ length }, () => LETTERS.charAt(Math.floor(Math.random() * LETTERS.length))).join("");
}
