import type { Context } from "../adapted.ts";
import { modeOf } from "../files/list.ts";
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
const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");

export type Format = (entry: Entry) => Promise<string>;

/** Throws if the format contains an unknown directive. */
export function formatOf(format: string, { fs }: Context): Format {
  const parts = [...format.matchAll(PART)].map(([text, escape, width = "", directive]): string | Format => {
    if (escape !== undefined)
      return /^[0-7]{2,3}$/.test(escape) ? String.fromCharCode(Number.parseInt(escape, 8)) : (ESCAPES[escape] ?? text);
    if (directive === undefined) return text;
    if (directive === "%") return "%";
    if (!/^[pfhPHskbyYdmMuUgGlntac]$|^[TACB][@aAbBcdDFhHIjklmMpSTyYZ+xXrR]$/.test(directive))
      throw new Error(`-printf knows no %${directive} here`);
    return async (entry) => padded(await fieldOf(directive, entry, fs), width);
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

async function fieldOf(directive: string, entry: Entry, fs: Context["fs"]): Promise<string> {
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
      return statusField(directive, await entry.status());
  }
}

/** Kind of what a link refers to; `N` if that does not exist. */
function targetKind({ full }: Entry, fs: Context["fs"]): Promise<string> {
  return fs.stat(full).then(
    ({ isDirectory }) => (isDirectory ? "d" : "f"),
    () => "N",
  );
}

function statusField(directive: string, status: Status): string {
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
      return timeField("c", status.mtime);
    default:
      return timeField(directive.charAt(1), status.mtime);
  }
}

/** Formats a time in UTC; seconds have ten decimal places. */
function timeField(letter: string, time: Date): string {
  const iso = time.toISOString();
  const [day, clock] = [iso.slice(0, 10), iso.slice(11, 19)];
  const fraction = `.${iso.slice(20, 23)}0000000`;
  const [weekday = "", month = ""] = [DAYS[time.getUTCDay()], MONTHS[time.getUTCMonth()]];
  const hour = time.getUTCHours() % 12 || 12;
  const two = (count: number) => String(count).padStart(2, "0");
  const fields: Readonly<Record<string, string>> = {
    "@": `${Math.floor(time.getTime() / 1000)}${fraction}`,
    a: weekday.slice(0, 3),
    A: weekday,
    b: month.slice(0, 3),
    h: month.slice(0, 3),
    B: month,
    c: `${weekday.slice(0, 3)} ${month.slice(0, 3)} ${String(time.getUTCDate()).padStart(2)} ${clock}${fraction} ${iso.slice(0, 4)}`,
    d: iso.slice(8, 10),
    D: `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(2, 4)}`,
    F: day,
    H: clock.slice(0, 2),
    I: two(hour),
    j: String(Math.floor((time.getTime() - Date.UTC(time.getUTCFullYear(), 0, 1)) / 86_400_000) + 1).padStart(3, "0"),
    k: String(time.getUTCHours()).padStart(2),
    l: String(hour).padStart(2),
    m: iso.slice(5, 7),
    M: clock.slice(3, 5),
    p: time.getUTCHours() < 12 ? "AM" : "PM",
    r: `${two(hour)}:${clock.slice(3)}${fraction} ${time.getUTCHours() < 12 ? "AM" : "PM"}`,
    R: clock.slice(0, 5),
    S: clock.slice(6) + fraction,
    T: clock + fraction,
    X: clock + fraction,
    x: `${iso.slice(5, 7)}/${iso.slice(8, 10)}/${iso.slice(2, 4)}`,
    y: iso.slice(2, 4),
    Y: iso.slice(0, 4),
    Z: "UTC",
    "+": `${day}+${clock}${fraction}`,
  };
  return fields[letter] ?? "";
}
