import type { CustomCommand } from "just-bash/browser";
import { type Call, joined, Refusal, textCommand } from "../text/command.ts";
import { byValue, versionKey } from "../text/sort.ts";
import { strftime } from "../time/format.ts";
import { fractionOf } from "../time/parse.ts";
import type { Zone } from "../time/zone.ts";
import { zoneOfCommand } from "../time/zones.ts";

type Status = Awaited<ReturnType<Call["context"]["fs"]["stat"]>>;

/** A listed name; its status is present only if it is shown or used for sorting. */
interface Entry {
  readonly name: string;
  readonly path: string;
  readonly status: Status | null;
}

const LONG = {
  all: "a",
  "almost-all": "A",
  "human-readable": "h",
  recursive: "R",
  reverse: "r",
  classify: "F",
  directory: "d",
  "numeric-uid-gid": "n",
  "no-group": "G",
  "full-time": "I",
  "group-directories-first": "D",
  color: "K",
  "time-style": "T",
  inode: "i",
  sort: "W",
  format: "M",
};

export const LS: CustomCommand = textCommand(
  "ls",
  { flags: "aAlhRrSFdt1mvXnpUgoGIDi", values: "TWM", optional: "K", long: LONG },
  async (call) => {
    const listing = new Listing(call);
    await listing.run();
    return [listing.output, call.complaints.length > 0 ? 2 : 0];
  },
);

class Listing {
  output = "";
  readonly #call: Call;
  readonly #flags: ReadonlySet<string>;
  readonly #isLong: boolean;

  constructor(call: Call) {
    const sort = call.values.get("W") ?? "none";
    const letter = { size: "S", time: "t", version: "v", extension: "X", none: "U" }[sort];
    if (letter === undefined) throw new Refusal(`invalid argument '${sort}' for '--sort'`, 2);
    this.#call = call;
    this.#flags = call.values.has("W") ? new Set([...call.flags, letter]) : call.flags;
    this.#isLong = ["l", "n", "g", "o", "I"].some((flag) => this.#flags.has(flag)) || call.values.get("M") === "long";
  }

  async run(): Promise<void> {
    const { operands, complaints } = this.#call;
    const given: Entry[] = [];
    for (const name of operands.length > 0 ? operands : ["."]) {
      const entry = await this.#entry(name, name, true);
      if (entry.status === null) complaints.push(`cannot access '${name}': No such file or directory`);
      else given.push(entry);
    }
    const isListed = ({ status }: Entry) => status?.isDirectory === true && !this.#flags.has("d");
    const files = given.filter((entry) => !isListed(entry));
    const directories = this.#sorted(given.filter(isListed));
    this.output += await this.#shown(this.#sorted(files));
    for (const directory of directories) await this.#directory(directory, operands.length > 1 || this.#flags.has("R"));
  }

  /** A link is shown as one in a long list, and where it leads nowhere. */
  async #entry(name: string, path: string, isNeeded: boolean): Promise<Entry> {
    if (!isNeeded || path === "") return { name, path, status: null };
    const { fs, cwd } = this.#call.context;
    const full = fs.resolvePath(cwd, path);
    const linked = () => fs.lstat(full).catch(() => null);
    const status = this.#isLong && !path.endsWith("/") ? await linked() : await fs.stat(full).catch(linked);
    return { name, path, status };
  }

  async #directory(directory: Entry, isNamed: boolean): Promise<void> {
    const { fs, cwd } = this.#call.context;
    if (isNamed) this.output += `${this.output === "" ? "" : "\n"}${directory.path}:\n`;
    const needed = this.#isLong || ["S", "t", "F", "p", "R", "D", "i"].some((flag) => this.#flags.has(flag));
    const names = (await fs.readdir(fs.resolvePath(cwd, directory.path))).filter(
      (name) => !name.startsWith(".") || this.#flags.has("a") || this.#flags.has("A"),
    );
    const all = this.#flags.has("a") ? [".", "..", ...names] : names;
    const within = directory.path.replace(/\/$/, "");
    const entries: Entry[] = [];
    for (const name of all) entries.push(await this.#entry(name, `${within}/${name}`, needed));
    const sorted = this.#sorted(entries);
    if (this.#isLong) this.output += `total ${sorted.reduce((sum, entry) => sum + blocksOf(entry), 0)}\n`;
    this.output += await this.#shown(sorted);
    if (!this.#flags.has("R")) return;
    for (const entry of sorted) {
      const isWithin = entry.name !== "." && entry.name !== "..";
      if (isWithin && entry.status?.isDirectory === true) await this.#directory(entry, true);
    }
  }

  #sorted(entries: readonly Entry[]): readonly Entry[] {
    if (this.#flags.has("U")) return entries;
    const found = entries.toSorted((a, b) => this.#order(a, b) || (a.name < b.name ? -1 : Number(a.name > b.name)));
    if (this.#flags.has("r")) found.reverse();
    const isFirst = ({ status }: Entry) => status?.isDirectory === true;
    return this.#flags.has("D") ? [...found.filter(isFirst), ...found.filter((entry) => !isFirst(entry))] : found;
  }

  #order(a: Entry, b: Entry): number {
    if (this.#flags.has("S")) return (b.status?.size ?? 0) - (a.status?.size ?? 0);
    if (this.#flags.has("t")) return (b.status?.mtime.getTime() ?? 0) - (a.status?.mtime.getTime() ?? 0);
    if (this.#flags.has("v")) return byValue(versionKey(a.name), versionKey(b.name));
    const extension = ({ name }: Entry) => /\.[^.]*$/.exec(name)?.[0] ?? "";
    if (this.#flags.has("X") && extension(a) !== extension(b)) return extension(a) < extension(b) ? -1 : 1;
    return 0;
  }

  async #shown(entries: readonly Entry[]): Promise<string> {
    if (entries.length === 0) return "";
    if (this.#isLong) return this.#long(entries);
    const inodes = this.#inodes(entries);
    const names = entries.map((entry, index) => (inodes[index] ?? "") + entry.name + this.#mark(entry));
    return this.#flags.has("m") ? `${names.join(", ")}\n` : joined(names);
  }

  /** Numbers of files, with the space behind them. */
  #inodes(entries: readonly Entry[]): readonly string[] {
    if (!this.#flags.has("i")) return [];
    const numbers = entries.map(({ status }) => String(status === null ? 0 : inodeOf(status)));
    const width = numbers.reduce((most, { length }) => Math.max(most, length), 0);
    return numbers.map((number) => `${number.padStart(width)} `);
  }

  #mark({ status }: Entry): string {
    if (status?.isDirectory === true) return this.#flags.has("F") || this.#flags.has("p") ? "/" : "";
    if (!this.#flags.has("F") || status === null) return "";
    return status.isSymbolicLink ? "@" : (status.mode & 0o111) === 0 ? "" : "*";
  }

  async #long(entries: readonly Entry[]): Promise<string> {
    const { fs, cwd } = this.#call.context;
    const [user, group] = this.#flags.has("n") ? ["1000", "1000"] : ["user", "user"];
    const owner = [
      ...(this.#flags.has("g") ? [] : [user]),
      ...(this.#flags.has("o") || this.#flags.has("G") ? [] : [group]),
    ];
    const style = this.#flags.has("I") ? "full-iso" : (this.#call.values.get("T") ?? "locale");
    const zone = zoneOfCommand(this.#call.context);
    const sizes = entries.map(({ status }) =>
      this.#flags.has("h") ? human(status?.size ?? 0) : String(status?.size ?? 0),
    );
    const width = sizes.reduce((most, { length }) => Math.max(most, length), 0);
    const inodes = this.#inodes(entries);
    const lines: string[] = [];
    for (const [index, entry] of entries.entries()) {
      const { status, name, path } = entry;
      const target = status?.isSymbolicLink === true ? ` -> ${await fs.readlink(fs.resolvePath(cwd, path))}` : "";
      const columns = [
        modeOf(status),
        status?.isDirectory === true ? "2" : "1",
        ...owner,
        sizes[index]?.padStart(width),
      ];
      lines.push(
        `${inodes[index] ?? ""}${columns.join(" ")} ${timeOf(status?.mtime ?? new Date(0), style, zone)} ${name}${target || this.#mark(entry)}`,
      );
    }
    return joined(lines);
  }
}

/** Number of a file, by which names of the same file are told; 0 outside the sandbox root. */
export function inodeOf({ identity = "" }: { readonly identity?: string }): number {
  return Number(identity.slice(identity.lastIndexOf(":") + 1));
}

/** Disk usage in units of 1024 bytes. */
export function blocksOf({ status }: Pick<Entry, "status">): number {
  return status?.isDirectory === true ? 4 : 4 * Math.ceil((status?.size ?? 0) / 4096);
}

export function human(size: number): string {
  if (size < 1024) return String(size);
  let rest = size;
  let unit = -1;
  for (; rest >= 1024; unit++) rest /= 1024;
  const shown = rest < 10 ? (Math.ceil(rest * 10) / 10).toFixed(1) : String(Math.ceil(rest));
  return (shown === "10.0" ? "10" : shown) + "KMGTP".charAt(unit);
}

export function modeOf(status: Pick<Status, "isDirectory" | "isSymbolicLink" | "mode"> | null): string {
  const kind = status?.isDirectory === true ? "d" : status?.isSymbolicLink === true ? "l" : "-";
  const bits = Array.from("rwxrwxrwx", (letter, index) => (((status?.mode ?? 0) >> (8 - index)) & 1 ? letter : "-"));
  return kind + bits.join("");
}

const HALF_YEAR_MS = 15_778_476_000;

/** Formats a time as a long list (`ls -l`) does. */
export function longTime(time: Date, zone: Zone): string {
  return timeOf(time, "locale", zone);
}

/** Formats a time as `--full-time` does; files keep milliseconds. */
export function fullTime(time: Date, zone: Zone): string {
  return shown("%F %T.%N %z", time, zone);
}

function shown(format: string, time: Date, zone: Zone): string {
  const ms = Math.floor(time.getTime());
  return strftime(format, { ms, zone, nanoseconds: fractionOf(ms) }, (unknown) => unknown);
}

/** Formats a time in one of the styles of `--time-style`, which may be two formats, for old and for recent times. */
function timeOf(time: Date, style: string, zone: Zone): string {
  if (style === "long-iso") return shown("%F %R", time, zone);
  if (style === "full-iso") return fullTime(time, zone);
  const age = Date.now() - time.getTime();
  const isRecent = age < HALF_YEAR_MS && age >= -60_000;
  if (style.startsWith("+")) {
    const [old = "", recent = old] = style.slice(1).split("\n");
    return shown(isRecent ? recent : old, time, zone);
  }
  if (style !== "locale" && style !== "iso") throw new Refusal(`--time-style=${style} is not known here`, 2);
  if (style === "iso") return shown(isRecent ? "%m-%d %R" : "%F ", time, zone);
  return shown(isRecent ? "%b %e %R" : "%b %e  %Y", time, zone);
}
