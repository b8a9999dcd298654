import { type CustomCommand, defineCommand } from "just-bash/browser";
import { bytesOfLatin1, latin1Of, textKeepingBytes, utf8Bytes } from "../../runtime/text-encoding.ts";
import { globRegex } from "../find/patterns.ts";
import { type Call, linesOf, pipedBytes, Refusal, textCommand } from "../text/command.ts";
import { strftime } from "../time/format.ts";
import type { Zone } from "../time/zone.ts";
import { zoneOfCommand } from "../time/zones.ts";
import { gunzipSync, gzipSync } from "../zlib.ts";
import { modeOf } from "./list.ts";
import { withoutSlashes } from "./paths.ts";
import { archiveOf, type Entry, entriesIn } from "./tar-format.ts";

const TROUBLE = 2;
const VALUES = "fCX";

const command = textCommand(
  "tar",
  {
    flags: "cxtrzvkpOam",
    values: `${VALUES}s`,
    repeated: "X",
    long: {
      create: "c",
      extract: "x",
      get: "x",
      list: "t",
      gzip: "z",
      gunzip: "z",
      verbose: "v",
      file: "f",
      directory: "C",
      exclude: "X",
      "to-stdout": "O",
      "keep-old-files": "k",
      "auto-compress": "a",
      "preserve-permissions": "p",
      touch: "m",
      "strip-components": "s",
    },
    bytes: true,
  },
  tar,
);

/** Makes, lists and extracts archives; links are not known. */
export const TAR: CustomCommand = defineCommand("tar", async ([first = "", ...rest], context) => {
  const args = withDash(first, rest);
  if (!changesFirst(args))
    return { stdout: "", stderr: "tar: -C is known here once, before the names\n", exitCode: TROUBLE };
  return command.execute(withLines(args), context);
});

/** Ends each pattern to exclude with a line end, because the values of an option are joined. */
function withLines(args: readonly string[]): string[] {
  return args.map((arg, at) =>
    arg.startsWith("--exclude=") || /^(?:--exclude|-X)$/.test(args[at - 1] ?? "") ? `${arg}\n` : arg,
  );
}

/** Whether the only `-C` comes before all names, so that it concerns all of them. */
function changesFirst(args: readonly string[]): boolean {
  const isValue = (at: number) =>
    /^(?:-[a-zA-Z]*[fCX]|--(?:file|directory|exclude|strip-components))$/.test(args[at - 1] ?? "");
  const isChange = (arg: string) => /^(?:-[a-zA-Z]*C|--directory)/.test(arg);
  const first = args.findIndex((arg, at) => !arg.startsWith("-") && !isValue(at));
  const changes = args.flatMap((arg, at) => (isChange(arg) ? [at] : []));
  return changes.length === 0 || (changes.length === 1 && (first === -1 || (changes[0] ?? 0) < first));
}

/** Rewrites letters without a dash, whose values follow in the order of the letters. */
function withDash(first: string, rest: string[]): string[] {
  if (!/^[a-zA-Z]/.test(first)) return [first, ...rest];
  const letters = Array.from(first);
  const values = letters
    .filter((letter) => VALUES.includes(letter))
    .flatMap((letter) => [`-${letter}`, rest.shift() ?? ""]);
  const flags = letters.filter((letter) => !VALUES.includes(letter)).join("");
  return [...(flags === "" ? [] : [`-${flags}`]), ...values, ...rest];
}

async function tar(call: Call): Promise<string | readonly [string, number]> {
  const { flags, values, context } = call;
  const [action, ...others] = ["c", "x", "t"].filter((letter) => flags.has(letter));
  if (action === undefined || others.length > 0 || flags.has("r"))
    throw new Refusal("You must specify one of the '-cxt' options", TROUBLE);
  const { fs, cwd } = context;
  const archive = values.get("f") ?? "-";
  const folder = fs.resolvePath(cwd, values.get("C") ?? ".");
  if (!(await fs.exists(folder)))
    throw new Refusal(`${values.get("C")}: Cannot open: No such file or directory`, TROUBLE);
  if (action === "c") return create(call, { archive, folder });
  const path = fs.resolvePath(cwd, archive);
  if (archive !== "-" && !(await fs.exists(path)))
    throw new Refusal(`${archive}: Cannot open: No such file or directory`, TROUBLE);
  const bytes = archive === "-" ? pipedBytes(context) : await fs.readFile(path, "binary");
  if (bytes === "") throw new Refusal("This does not look like a tar archive", TROUBLE);
  const content = bytes.startsWith("\x1f\x8b") ? latin1Of(gunzipSync(bytesOfLatin1(bytes))) : bytes;
  const entries = entriesIn(content).filter(({ name }) => isWanted(call, name));
  for (const operand of call.operands)
    if (!entries.some(({ name }) => isBeneath(name, operand))) call.complaints.push(`${operand}: Not found in archive`);
  const zone = flags.has("v") ? zoneOfCommand(context) : null;
  const printed =
    action === "t" ? entries.map((entry) => shown(entry, zone)).join("") : await extract(call, folder, entries);
  return [printed, call.complaints.length > 0 ? TROUBLE : 0];
}

function isBeneath(name: string, operand: string): boolean {
  const wanted = utf8Bytes(operand).replace(/\/$/, "");
  return name === wanted || name === `${wanted}/` || name.startsWith(`${wanted}/`);
}

function isWanted({ operands, values }: Call, name: string): boolean {
  return (
    !isExcluded(values.get("X"), name) &&
    (operands.length === 0 || operands.some((operand) => isBeneath(name, operand)))
  );
}

/** Whether a pattern matches some successive names of a path. */
function isExcluded(patterns: string | undefined, path: string): boolean {
  const names = withoutSlashes(path).split("/");
  return linesOf(patterns ?? "").some((pattern) => {
    const regex = globRegex(pattern, false);
    return names.some((_, from) =>
      names.some((_, to) => from <= to && regex.test(names.slice(from, to + 1).join("/"))),
    );
  });
}

/** The line of `-t`, or of `-tv`, whose sizes end in one column. */
function shown({ name, mode, size, modified }: Entry, zone: Zone | null): string {
  if (zone === null) return `${name}\n`;
  const letters = modeOf({ isDirectory: name.endsWith("/"), isSymbolicLink: false, mode });
  const time = strftime("%F %R", { ms: modified * 1000, zone }, (unknown) => unknown);
  return `${letters} user/user ${String(size).padStart(9)} ${time} ${name}\n`;
}

async function create(call: Call, { archive, folder }: { readonly archive: string; readonly folder: string }) {
  const { flags, values, operands, context, complaints } = call;
  const { fs } = context;
  if (operands.length === 0) throw new Refusal("Cowardly refusing to create an empty archive", TROUBLE);
  const entries: Entry[] = [];
  const add = async (name: string): Promise<void> => {
    const path = fs.resolvePath(folder, name);
    const status = await fs.stat(path).catch(() => null);
    if (status === null) return void complaints.push(`${name}: Cannot stat: No such file or directory`);
    if (isExcluded(values.get("X"), name) || path === fs.resolvePath(context.cwd, archive)) return;
    const stored = utf8Bytes(withoutSlashes(name.replace(/^\/+/, "")) + (status.isDirectory ? "/" : ""));
    const content = status.isDirectory ? "" : await fs.readFile(path, "binary");
    const modified = Math.floor(status.mtime.getTime() / 1000);
    entries.push({ name: stored, mode: status.mode & 0o777, size: content.length, modified, content });
    if (status.isDirectory)
      for (const one of (await fs.readdir(path)).toSorted()) await add(`${withoutSlashes(name)}/${one}`);
  };
  for (const operand of operands) await add(operand);
  if (operands.some((name) => name.startsWith("/"))) complaints.push("Removing leading '/' from member names");
  const isZipped = flags.has("z") || (flags.has("a") && /\.t?gz$/.test(archive));
  const plain = archiveOf(entries);
  const bytes = isZipped ? latin1Of(gzipSync(bytesOfLatin1(plain))) : plain;
  const exitCode = complaints.some((one) => one.includes("Cannot stat")) ? TROUBLE : 0;
  if (archive === "-") return [bytes, exitCode] as const;
  await fs.writeFile(fs.resolvePath(context.cwd, archive), bytes, "binary");
  return [flags.has("v") ? entries.map((entry) => shown(entry, null)).join("") : "", exitCode] as const;
}

async function extract(
  { flags, values, context, complaints }: Call,
  folder: string,
  entries: readonly Entry[],
): Promise<string> {
  const { fs } = context;
  const stripped = Number(values.get("s") ?? 0);
  if (!Number.isInteger(stripped) || stripped < 0)
    throw new Refusal(`'${values.get("s")}': invalid number of elements`, TROUBLE);
  let printed = "";
  for (const { name, mode, modified, content } of entries) {
    const shownName = textKeepingBytes(name);
    if (shownName.split("/").includes("..")) {
      complaints.push(`${shownName}: Member name contains '..'`);
      continue;
    }
    if (flags.has("O")) {
      printed += content;
      continue;
    }
    const kept = shownName.replace(/^\/+/, "").split("/").slice(stripped).join("/");
    if (stripped > 0 && kept === "") continue;
    const path = fs.resolvePath(folder, kept || ".");
    if (flags.has("v")) printed += `${name}\n`;
    if (name.endsWith("/")) {
      await fs.mkdir(path, { recursive: true });
      continue;
    }
    if (flags.has("k") && (await fs.exists(path))) {
      complaints.push(`${shownName}: Cannot open: File exists`);
      continue;
    }
    await fs.mkdir(path.replace(/\/[^/]*$/, "") || "/", { recursive: true });
    await fs.writeFile(path, content, "binary");
    await fs.chmod(path, mode);
    if (!flags.has("m")) await fs.utimes(path, new Date(modified * 1000), new Date(modified * 1000));
  }
  return printed;
}
