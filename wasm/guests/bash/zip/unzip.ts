import { type CustomCommand, defineCommand } from "just-bash/browser";
import { textKeepingBytes, utf8Bytes } from "../../runtime/text-encoding.ts";
import { globRegex } from "../find/patterns.ts";
import { type Call, Refusal, textCommand } from "../text/command.ts";
import { momentOfAny, zoneOfCommand } from "../time/zones.ts";
import { NO_ARCHIVE, STORED, unpacked, type ZipEntry, zipEntriesIn } from "./zip-format.ts";
import { listOf, tableOf } from "./zip-list.ts";

/** Bytes. */
const NAME_WIDTH = 22;
const WARNING = 1;
const NOT_FOUND = 11;
const SKIPPED = 81;
const SKIPPING = "skipping: ";
const LINKS = 0o120_000;
const KINDS = 0o170_000;

const command = textCommand("unzip", { flags: "lvptcZ1oqnj", values: "dX", repeated: "X", bytes: true }, async (call) =>
  unzip(call),
);

/** Lists and unpacks ZIP archives. Names to leave out come last, after `-x`. */
export const UNZIP: CustomCommand = defineCommand("unzip", (args, context) =>
  command.execute(withoutLists(args), context),
);

/** Turns each name after `-x` into an option of its own, up to the next option. */
export function withoutLists(args: readonly string[]): string[] {
  let isListed = false;
  return args.flatMap((arg) => {
    if (arg === "-x") {
      isListed = true;
      return [];
    }
    if (arg.startsWith("-")) isListed = false;
    return isListed ? ["-X", `${arg}\n`] : [arg];
  });
}

/** Whether one of the patterns, a line each, matches the path; wildcards also match slashes. */
export function matchesOne(patterns: readonly string[], path: string): boolean {
  return patterns.some((pattern) => globRegex(pattern, false).test(path));
}

async function unzip(call: Call): Promise<string | readonly [string, number]> {
  const { flags, values, operands } = call;
  const [given, ...wanted] = operands;
  if (given === undefined) throw new Refusal("the name of an archive is needed", 10);
  const { name, entries } = await openArchive(call, given);
  const omitted = (values.get("X") ?? "").split("\n").slice(0, -1);
  const chosen = entries.filter((entry) => {
    const path = textKeepingBytes(entry.name);
    return (wanted.length === 0 || matchesOne(wanted, path)) && !matchesOne(omitted, path);
  });
  const notFound = wanted.filter(
    (pattern) => !entries.some((one) => matchesOne([pattern], textKeepingBytes(one.name))),
  );
  for (const pattern of notFound) call.complaints.push(`caution: filename not matched:  ${pattern}`);
  const failed = chosen.length === 0 || notFound.length > 0 ? NOT_FOUND : 0;
  const title = flags.has("q") ? "" : `Archive:  ${utf8Bytes(name)}\n`;
  if (flags.has("Z") || flags.has("1")) return [chosen.map((entry) => `${entry.name}\n`).join(""), failed];
  if (flags.has("l") || flags.has("v")) {
    const lines = flags.has("v") ? tableOf(chosen) : listOf(chosen);
    return [title + lines, failed];
  }
  if (flags.has("t")) return [title + testOf(call, chosen, name), worst(call, failed)];
  if (flags.has("p") || flags.has("c"))
    return [(flags.has("c") ? title : "") + printed(call, chosen), worst(call, failed)];
  return [title + (await extract(call, chosen)), worst(call, failed)];
}

/** The exit code: what could not be unpacked weighs most. */
function worst({ complaints }: Call, failed: number): number {
  if (complaints.some((one) => one.startsWith(SKIPPING))) return SKIPPED;
  return failed > 0 || complaints.length === 0 ? failed : WARNING;
}

async function openArchive({ context }: Call, given: string) {
  const { fs, cwd } = context;
  for (const name of [given, `${given}.zip`, `${given}.ZIP`]) {
    const path = fs.resolvePath(cwd, name);
    if (!(await fs.exists(path)) || (await fs.stat(path)).isDirectory) continue;
    const entries = zipEntriesIn(await fs.readFile(path, "binary"));
    if (entries === null)
      throw new Refusal(
        `End-of-central-directory signature not found. ${name} is not a ZIP archive, or only a part of one.`,
        NO_ARCHIVE,
      );
    return { name, entries };
  }
  throw new Refusal(`cannot find or open ${given}, ${given}.zip or ${given}.ZIP.`, NO_ARCHIVE);
}

/** The content; null, with a complaint, if it cannot be unpacked. */
function contentOf({ complaints }: Call, entry: ZipEntry): string | null {
  try {
    return unpacked(entry);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    complaints.push(`${SKIPPING}${textKeepingBytes(entry.name)}  ${error.message}`);
    return null;
  }
}

function testOf(call: Call, entries: readonly ZipEntry[], archive: string): string {
  const before = call.complaints.length;
  const lines = entries.map((entry) =>
    contentOf(call, entry) === null ? "" : `    testing: ${entry.name.padEnd(NAME_WIDTH)}   OK\n`,
  );
  const end =
    call.complaints.length > before ? "At least one error was detected in" : "No errors detected in compressed data of";
  return `${lines.join("")}${end} ${utf8Bytes(archive)}.\n`;
}

function printed(call: Call, entries: readonly ZipEntry[]): string {
  return entries
    .filter(({ name }) => !name.endsWith("/"))
    .map((entry) => {
      const content = contentOf(call, entry) ?? "";
      return call.flags.has("c") ? `${actionOf(entry)}${entry.name.padEnd(NAME_WIDTH)}  \n${content}\n` : content;
    })
    .join("");
}

function actionOf({ method }: ZipEntry): string {
  return method === STORED ? " extracting: " : "  inflating: ";
}

async function extract(call: Call, entries: readonly ZipEntry[]): Promise<string> {
  const { flags, values, context, complaints } = call;
  const { fs, cwd } = context;
  const zone = zoneOfCommand(context);
  const folder = values.get("d");
  let said = "";
  const say = (action: string, name: string) => {
    if (!flags.has("q")) said += `${action}${name}\n`;
  };
  for (const entry of entries) {
    const kept = keptPath(call, textKeepingBytes(entry.name));
    if (kept === "" || (flags.has("j") && entry.name.endsWith("/"))) continue;
    const shown = folder === undefined ? kept : `${folder.replace(/\/$/, "")}/${kept}`;
    const path = fs.resolvePath(cwd, shown);
    if (entry.name.endsWith("/")) {
      if (!(await fs.exists(path))) say("   creating: ", `${utf8Bytes(shown)}/`);
      await fs.mkdir(path, { recursive: true });
      continue;
    }
    if (!flags.has("o") && (await fs.exists(path))) {
      if (!flags.has("n")) complaints.push(`${shown} exists and is kept; -o replaces it, -n keeps it`);
      continue;
    }
    if (entry.mode !== null && (entry.mode & KINDS) === LINKS) {
      complaints.push(`${SKIPPING}${shown}  it is a symbolic link`);
      continue;
    }
    const content = contentOf(call, entry);
    if (content === null) continue;
    await fs.mkdir(path.replace(/\/[^/]*$/, "") || "/", { recursive: true });
    await fs.writeFile(path, content, "binary");
    if (entry.mode !== null && (entry.mode & 0o777) !== 0) await fs.chmod(path, entry.mode & 0o777);
    const modified = new Date(momentOfAny(zone, entry.wallMs));
    await fs.utimes(path, modified, modified);
    say(actionOf(entry), utf8Bytes(shown).padEnd(NAME_WIDTH) + "  ");
  }
  return said;
}

/** Where an entry goes within the folder: without a leading slash, and without steps upwards. */
function keptPath({ flags, complaints }: Call, name: string): string {
  const names = name.split("/");
  const kept = names.filter((one) => one !== ".." && one !== "." && one !== "");
  if (names.includes("..")) complaints.push(`warning:  skipped "../" path component(s) in ${name}`);
  return flags.has("j") ? (kept.at(-1) ?? "") : kept.join("/");
}
