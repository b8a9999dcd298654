import { Refusal } from "../text/command.ts";

/** A file of an archive, or a directory, whose name ends with a slash. Texts have one character for each byte. */
export interface Entry {
  readonly name: string;
  readonly mode: number;
  readonly size: number;
  /** Seconds since 1970. */
  readonly modified: number;
  readonly content: string;
}

/** Bytes; GNU tar fills an archive to a multiple of twenty blocks. */
const BLOCK = 512;
const RECORD = 20 * BLOCK;
const MAX_NAME = 100;
const LONG_NAME = "L";
const TROUBLE = 2;
/** Offsets and lengths in a header. Source: POSIX.1, pax, "ustar Interchange Format". */
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  size: [124, 12],
  modified: [136, 12],
  sum: [148, 8],
  type: [156, 1],
  magic: [257, 5],
  prefix: [345, 155],
} as const;

export function archiveOf(entries: readonly Entry[]): string {
  const blocks = entries.flatMap((entry) => {
    const long = { ...entry, name: "././@LongLink", size: entry.name.length + 1, content: `${entry.name}\0` };
    const first = entry.name.length > MAX_NAME ? [headerOf(long, LONG_NAME), filled(long.content)] : [];
    return [...first, headerOf(entry, entry.name.endsWith("/") ? "5" : "0"), filled(entry.content)];
  });
  const text = blocks.join("") + "\0".repeat(2 * BLOCK);
  return text.padEnd(Math.ceil(text.length / RECORD) * RECORD, "\0");
}

function filled(content: string): string {
  return content.padEnd(Math.ceil(content.length / BLOCK) * BLOCK, "\0");
}

function headerOf({ name, mode, size, modified }: Entry, type: string): string {
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  const ids = octal(1000, 7).repeat(2);
  const start =
    name.slice(0, MAX_NAME).padEnd(MAX_NAME, "\0") + octal(mode, 7) + ids + octal(size, 11) + octal(modified, 11);
  const end = `${type}${"\0".repeat(100)}ustar  \0${"user".padEnd(32, "\0").repeat(2)}`.padEnd(BLOCK - 156, "\0");
  return `${start}${octal(sumOf(`${start}        ${end}`), 6)} ${end}`;
}

function sumOf(header: string): number {
  return Array.from(header).reduce((sum, byte) => sum + byte.charCodeAt(0), 0);
}

export function entriesIn(archive: string): Entry[] {
  const entries: Entry[] = [];
  let longName: string | null = null;
  for (let at = 0; at < archive.length; ) {
    const header = archive.slice(at, at + BLOCK);
    if (/^\0*$/.test(header)) break;
    const field = (name: keyof typeof FIELDS) =>
      header.slice(FIELDS[name][0], FIELDS[name][0] + FIELDS[name][1]).split("\0", 1)[0] ?? "";
    const number = (name: keyof typeof FIELDS) => Number.parseInt(field(name).trim() || "0", 8);
    const blank = `${header.slice(0, FIELDS.sum[0])}        ${header.slice(FIELDS.type[0])}`;
    if (header.length < BLOCK || number("sum") !== sumOf(blank))
      throw new Refusal("This does not look like a tar archive", TROUBLE);
    const [type, size] = [field("type"), number("size")];
    const content = archive.slice(at + BLOCK, at + BLOCK + size);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    const prefix = field("magic") === "ustar" && header[FIELDS.magic[0] + 5] === "\0" ? field("prefix") : "";
    const name: string = longName ?? (prefix === "" ? field("name") : `${prefix}/${field("name")}`);
    longName = null;
    if (type === LONG_NAME) longName = content.split("\0", 1)[0] ?? "";
    else if (type === "x") longName = /(?:^|\n)\d+ path=([^\n]+)\n/.exec(content)?.[1] ?? null;
    else if (/^[05]?$/.test(type))
      entries.push({ name, mode: number("mode"), size, modified: number("modified"), content });
    else if (type !== "g") throw new Refusal(`${name}: only files and directories of archives are known here`, TROUBLE);
  }
  return entries;
}
