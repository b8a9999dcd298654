import { type CustomCommand, defineCommand } from "just-bash/browser";
import { textKeepingBytes, utf8Bytes } from "../../runtime/text-encoding.ts";
import { withoutSlashes } from "../files/paths.ts";
import { type Call, linesOf, pipedBytes, Refusal, textCommand } from "../text/command.ts";
import { wallTime, zoneOfCommand } from "../time/zones.ts";
import { matchesOne, withoutLists } from "./unzip.ts";
import { DEFLATED, NO_ARCHIVE, packedEntry, type ZipEntry, zipArchive, zipEntriesIn } from "./zip-format.ts";
import { savedOf } from "./zip-list.ts";

const NOTHING = 12;
const REGULAR = 0o100_000;
const DIRECTORY = 0o040_000;
const USUAL_LEVEL = 6;

const command = textCommand("zip", { flags: "rjqd@0123456789", values: "X", repeated: "X", bytes: true }, (call) =>
  zip(call),
);

/** Makes ZIP archives and adds to them. Patterns to leave out come last, after `-x`. */
export const ZIP: CustomCommand = defineCommand("zip", (args, context) => command.execute(withoutLists(args), context));

async function zip(call: Call): Promise<string | readonly [string, number]> {
  const { flags, values, operands, context, complaints } = call;
  const [given, ...named] = operands;
  if (given === undefined) throw new Refusal("the name of an archive is needed", 16);
  const { fs, cwd } = context;
  const archive = given === "-" || given.lastIndexOf(".") > given.lastIndexOf("/") ? given : `${given}.zip`;
  const path = fs.resolvePath(cwd, archive);
  const before = archive !== "-" && (await fs.exists(path)) ? zipEntriesIn(await fs.readFile(path, "binary")) : [];
  if (before === null) throw new Refusal(`${archive} exists and is no ZIP archive`, NO_ARCHIVE);
  const names = flags.has("@") ? [...named, ...linesOf(textKeepingBytes(pipedBytes(context)))] : named;
  const omitted = (values.get("X") ?? "").split("\n").slice(0, -1);
  const entries = new Map(before.map((entry) => [entry.name, entry]));
  const said = flags.has("d") ? removed(entries, names) : await added(call, entries, { names, omitted, skips: path });
  if (said === "") throw new Refusal(`Nothing to do! (${archive})`, NOTHING);
  const bytes = zipArchive([...entries.values()]);
  const status = complaints.length > 0 ? 18 : 0;
  if (archive === "-") return [bytes, status];
  await fs.writeFile(path, bytes, "binary");
  return [flags.has("q") ? "" : said, status];
}

/** Removes what the patterns match, and says so. */
function removed(entries: Map<string, ZipEntry>, patterns: readonly string[]): string {
  const gone = [...entries.keys()].filter((name) => matchesOne(patterns.map(utf8Bytes), name));
  for (const name of gone) entries.delete(name);
  return gone.map((name) => `deleting: ${name}\n`).join("");
}

interface Selection {
  readonly names: readonly string[];
  readonly omitted: readonly string[];
  /** The archive itself. */
  readonly skips: string;
}

/** Adds files, or replaces them, and says so. */
async function added(
  call: Call,
  entries: Map<string, ZipEntry>,
  { names, omitted, skips }: Selection,
): Promise<string> {
  const { flags, context, complaints } = call;
  const { fs, cwd } = context;
  const zone = zoneOfCommand(context);
  const level = Number([...flags].find((flag) => /\d/.test(flag)) ?? USUAL_LEVEL);
  let said = "";
  const add = async (name: string): Promise<void> => {
    const path = fs.resolvePath(cwd, name);
    const status = await fs.stat(path).catch(() => null);
    if (status === null) return void complaints.push(`warning: name not matched: ${name}`);
    const plain = withoutSlashes(name.replace(/^(?:\.?\/+)+/, "")) + (status.isDirectory ? "/" : "");
    const stored = flags.has("j") ? (plain.split("/").at(-1) ?? "") : plain;
    if (path === skips) return;
    if (stored !== "" && stored !== "./" && !matchesOne(omitted, plain)) {
      const key = utf8Bytes(stored);
      const content = status.isDirectory ? "" : await fs.readFile(path, "binary");
      const wallMs = wallTime(zone, status.mtime.getTime()).getTime();
      const mode = (status.isDirectory ? DIRECTORY : REGULAR) | (status.mode & 0o777);
      const entry = packedEntry({ name: key, wallMs, mode, content }, level);
      const saved = savedOf(entry.size, entry.packed.length);
      const how = entry.method === DEFLATED ? `deflated ${saved}%` : "stored 0%";
      said += `${entries.has(key) ? "updating" : "  adding"}: ${key} (${how})\n`;
      entries.set(key, entry);
    }
    if (status.isDirectory && flags.has("r"))
      for (const one of (await fs.readdir(path)).toSorted()) await add(`${withoutSlashes(name)}/${one}`);
  };
  for (const name of names) await add(name);
  return said;
}
