import type { CustomCommand } from "just-bash/browser";
import { singleQuoted } from "../expansion/quoting.ts";
import { type Call, joined, Refusal, textCommand } from "../text/command.ts";
import type { Zone } from "../time/zone.ts";
import { zoneOfCommand } from "../time/zones.ts";
import { fullTime, inodeOf, modeOf } from "./list.ts";

type Files = Call["context"]["fs"];

interface Described {
  readonly name: string;
  readonly target: string | null;
  readonly zone: Zone;
  readonly status: Awaited<ReturnType<Files["lstat"]>>;
}

/** `stat`, which prints the fields of a format for each file. */
export const STAT: CustomCommand = textCommand(
  "stat",
  { flags: "Lt", values: "cp", long: { format: "c", printf: "p", dereference: "L", terse: "t" } },
  stat,
);

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", "0": "\0", "\\": "\\", '"': '"' };
const TERSE = "%n %s %b %f %u %g %h %X %Y %Z %W %o";
const LONG = [
  "  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F",
  "Links: %h",
  "Access: (%04a/%A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)",
  "Access: %x",
  "Modify: %y",
  "Change: %z",
  " Birth: %w",
].join("\n");

async function stat(call: Call): Promise<string> {
  const { flags, values, operands, complaints } = call;
  if (operands.length === 0) throw new Refusal("missing operand");
  const printed = values.get("p");
  const format = printed?.replace(/\\(.)/g, (found, letter: string) => ESCAPES[letter] ?? found);
  const lines: string[] = [];
  for (const name of operands) {
    const described = await describe(call, name);
    if (described === null) complaints.push(`cannot statx '${name}': No such file or directory`);
    else lines.push(formatted(format ?? values.get("c") ?? (flags.has("t") ? TERSE : longFor(described)), described));
  }
  return format === undefined ? joined(lines) : lines.join("");
}

async function describe({ flags, context }: Call, name: string): Promise<Described | null> {
  const { fs, cwd } = context;
  const path = fs.resolvePath(cwd, name);
  const status = await (flags.has("L") ? fs.stat(path) : fs.lstat(path)).catch(() => null);
  if (status === null) return null;
  // A link out of the sandbox has a target that is not told.
  const zone = zoneOfCommand(context);
  return { name, status, zone, target: status.isSymbolicLink ? await fs.readlink(path).catch(() => "") : null };
}

function longFor({ target }: Described): string {
  return `  File: ${target === null ? "%n" : "%N"}\n${LONG}`;
}

/** Replaces `%s`, `%-10s`, `%05s` and the like by the file's fields. */
function formatted(format: string, described: Described): string {
  return format.replace(/%[-+ #0']{0,5}[1-9]?\d{0,3}(?:[a-zA-Z%]|$)/g, (found) => {
    if (found === "%") return found;
    const value = fieldOf(described, found.slice(-1));
    if (value === null) throw new Refusal(`${found} is not known here`);
    const [, how = "", width = ""] = /^%([-+ #0']*)(\d*)/.exec(found) ?? [];
    if (how.includes("-")) return value.padEnd(Number(width));
    return value.padStart(Number(width), how.includes("0") && /^\d+$/.test(value) ? "0" : " ");
  });
}

function fieldOf({ name, target, status, zone }: Described, letter: string): string | null {
  const { size, mtime, mode, isDirectory } = status;
  switch (letter) {
    case "%":
      return "%";
    case "n":
      return name;
    case "N":
      return [name, ...(target === null ? [] : [target])].map(singleQuoted).join(" -> ");
    case "s":
      return String(size);
    case "b":
      return String(Math.ceil(size / 512));
    case "B":
      return "512";
    case "o":
      return "4096";
    case "i":
      return String(inodeOf(status));
    case "h":
      return "1";
    case "F":
      if (target !== null) return "symbolic link";
      return isDirectory ? "directory" : size === 0 ? "regular empty file" : "regular file";
    case "a":
      return (mode & 0o7777).toString(8);
    case "A":
      return modeOf(status);
    case "f":
      return ((mode & 0o7777) | (target === null ? (isDirectory ? 0o40000 : 0o100000) : 0o120000)).toString(16);
    case "u":
    case "g":
      return "1000";
    case "U":
    case "G":
      return "user";
    case "w":
      return "-";
    case "W":
      return "0";
    default:
      return timeOf(mtime, letter, zone);
  }
}

/** The only time kept for a file is that of its last change. */
function timeOf(time: Date, letter: string, zone: Zone): string | null {
  if (/[XYZ]/.test(letter)) return String(Math.floor(time.getTime() / 1000));
  return /[xyz]/.test(letter) ? fullTime(time, zone) : null;
}
