import type { Context } from "../adapted.ts";
import { modeOf } from "../files/list.ts";
import { strftime } from "../time/format.ts";
import { fractionOf } from "../time/parse.ts";
import type { Zone } from "../time/zone.ts";
import { zoneOfCommand } from "../time/zones.ts";
import { directoryOf, type Entry, type Status } from "./entry.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "0": "\0",
};
const PART = /\\([0-7]{1,3}|[^])|%([-+ #0]*\d*(?:\.\d+)?)([TACB][^]|[^])|[^\\%]+|[^]/g;

export type Format = (entry: Entry) => Promise<string>;

/** Throws if the format contains an unknown directive. */
export function formatOf(format: string, context: Context): Format {
  const { fs } = context;
  const zone = zoneOfCommand(context);
  const parts = [...format.matchAll(PART)].map(([text, escape, width = "", directive]): string | Format => {
    if (escape !== undefined)
      return /^[0-7]{2,3}$/.test(escape) ? String.fromCharCode(Number.parseInt(escape, 8)) : (ESCAPES[escape] ?? text);
    if (directive === undefined) return text;
    if (directive === "%") return "%";
    if (!/^[pfhPHskbyYdmMuUgGlntac]$|^[TACB][@aAbBcdDFGgHIUVWhjklmMpSTuwyYZz+xXrR]$/.test(directive))
      throw new Error(`-printf knows no %${directive} here`);
    return async (entry) => padded(await fieldOf(directive, entry, { fs, zone }), width);
  });
  return async (entry) => {
    let text = "";
    for (const part of parts) text += typeof part === "string" ? part : await part(entry);
    return text;
  };
}

function padded(text: string, how: string): string {
  const [, flags = "", width = "", precision] = /^([-+ #]*(?:0[-+ #]*)?)([1-9]\d*)?(?:\.(\d+))?$/.exec(how) ?? [];
  const shown = precision === undefined ? text : text.slice(0, Number(precision));
  if (flags.includes("-")) return shown.padEnd(Number(width));
  return shown.padStart(Number(width), flags.includes("0") && /^\d+$/.test(shown) ? "0" : " ");
}

interface Surroundings {
  readonly fs: Context["fs"];
  readonly zone: Zone;
}

async function fieldOf(directive: string, entry: Entry, { fs, zone }: Surroundings): Promise<string> {
  switch (directive) {
    case "p":
      return entry.path;
    case "f":
      return entry.name;
    case "h":
      return directoryOf(entry.path);
    case "H":
      return entry.start;
    case "P":
      return entry.depth === 0 ? "" : entry.path.slice(entry.start.length).replace(/^\/+/, "");
    case "d":
      return String(entry.depth);
    case "y":
      return entry.kind;
    case "Y":
      return entry.kind === "l" ? targetKind(entry, fs) : entry.kind;
    case "u":
    case "g":
      return "user";
    case "U":
    case "G":
      return "1000";
    case "n":
      return entry.kind === "d" ? "2" : "1";
    case "l":
      return entry.kind === "l" ? fs.readlink(entry.full) : "";
    default:
      return statusField(directive, await entry.status(), zone);
  }
}

/** Kind of what a link refers to; `N` if that does not exist. */
function targetKind({ full }: Entry, fs: Context["fs"]): Promise<string> {
  return fs.stat(full).then(
    ({ isDirectory }) => (isDirectory ? "d" : "f"),
    () => "N",
  );
}

function statusField(directive: string, status: Status, zone: Zone): string {
  switch (directive) {
    case "s":
      return String(status.size);
    case "k":
      return String(Math.ceil(status.size / 1024));
    case "b":
      return String(Math.ceil(status.size / 512));
    case "m":
      return (status.mode & 0o7777).toString(8);
    case "M":
      return modeOf(status);
    case "t":
    case "a":
    case "c":
      return timeField("t", status.mtime, zone);
    default:
      return timeField(directive.charAt(1), status.mtime, zone);
  }
}

/** Times of files as `strftime` formats them, with seconds of ten decimal places. */
const TIMES: Readonly<Record<string, string>> = {
  "@": "%s.%N0",
  /** What `%t` prints. */
  t: "%a %b %e %T.%N0 %Y",
  r: "%I:%M:%S.%N0 %p",
  S: "%S.%N0",
  T: "%T.%N0",
  X: "%T.%N0",
  "+": "%F+%T.%N0",
};

function timeField(letter: string, time: Date, zone: Zone): string {
  const ms = Math.floor(time.getTime());
  const format = TIMES[letter] ?? `%${letter}`;
  return strftime(format, { ms, zone, nanoseconds: fractionOf(ms) }, (unknown) => unknown);
}
