import type { CustomCommand } from "just-bash/browser";
import { type Call, inputsOf, joined, linesOf, Refusal, textCommand, textOf } from "./command.ts";

/** The part of each line to compare, and how to compare it. */
interface Key {
  readonly from: Position;
  readonly to: Position | null;
  readonly how: string;
}

interface Position {
  readonly field: number;
  readonly character: number;
  readonly skipsBlanks: boolean;
}

const ORDERS = "bdfghinMRrV";
const LONG = {
  "ignore-leading-blanks": "b",
  "dictionary-order": "d",
  "ignore-case": "f",
  "general-numeric-sort": "g",
  "human-numeric-sort": "h",
  "numeric-sort": "n",
  "month-sort": "M",
  "random-sort": "R",
  reverse: "r",
  "version-sort": "V",
  check: "c",
  merge: "m",
  stable: "s",
  unique: "u",
  "zero-terminated": "z",
  key: "k",
  output: "o",
  "field-separator": "t",
  parallel: "P",
  "buffer-size": "S",
};

/** Joins all `-k` options into one value, because the option parser keeps only one value per letter. */
const KEY_END = "\u0001";

const command = textCommand("sort", { flags: `${ORDERS}cCmsuz`, values: "kotPST", long: LONG }, sort);

export const SORT: CustomCommand = {
  ...command,
  execute: (args, context) => command.execute(withOneKey(args), context),
};

const NAMED: Readonly<Record<string, string>> = {
  "--sort=general-numeric": "-g",
  "--sort=human-numeric": "-h",
  "--sort=month": "-M",
  "--sort=numeric": "-n",
  "--sort=random": "-R",
  "--sort=version": "-V",
};

function withOneKey(given: readonly string[]): string[] {
  const args = given.map((arg) => NAMED[arg] ?? arg);
  const keys: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return ["-k", keys.join(KEY_END), ...rest, ...args.slice(at)].slice(keys.length === 0 ? 2 : 0);
    const [, flags = "", value = ""] =
      /^-([bdfghinMRrVcCmsuz]*)k([^]*)$/.exec(arg) ?? /^-(-)key=?([^]*)$/.exec(arg) ?? [];
    if (!/^-[bdfghinMRrVcCmsuz]*k|^--key/.test(arg))
      rest.push(arg, ...(/^-[otST]$/.test(arg) ? args.slice(++at, at + 1) : []));
    else {
      keys.push(value === "" ? (args[++at] ?? "") : value);
      if (/^[a-zA-Z]+$/.test(flags)) rest.push(`-${flags}`);
    }
  }
  return keys.length === 0 ? rest : ["-k", keys.join(KEY_END), ...rest];
}

async function sort(call: Call): Promise<string | readonly [string, number]> {
  const { flags, values, context } = call;
  const end = flags.has("z") ? "\0" : "\n";
  const separator = values.get("t") === "\\0" ? "\0" : values.get("t");
  if (separator !== undefined && separator.length !== 1) throw new Refusal(`multi-character tab '${separator}'`, 2);
  const inputs = await inputsOf(call);
  if (call.complaints.length > 0) return ["", 2];
  const lines = inputs.flatMap((input) => linesOf(textOf(input), end));
  const compare = comparison(flags, values.get("k")?.split(KEY_END) ?? [], separator);
  if (flags.has("c") || flags.has("C")) {
    const wrong = lines.findIndex(
      (line, at) => at > 0 && compare(lines[at - 1] ?? "", line) > (flags.has("u") ? -1 : 0),
    );
    if (wrong === -1) return "";
    if (flags.has("c")) call.complaints.push(`${inputs[0]?.name ?? "-"}:${wrong + 1}: disorder: ${lines[wrong]}`);
    return ["", 1];
  }
  const sorted = lines.sort(compare);
  const kept = flags.has("u")
    ? sorted.filter((line, at) => at === 0 || compare(sorted[at - 1] ?? "", line) !== 0)
    : sorted;
  const file = values.get("o");
  if (file === undefined) return joined(kept, end);
  await context.fs.writeFile(context.fs.resolvePath(context.cwd, file), joined(kept, end));
  return "";
}

type Comparison = (one: string, other: string) => number;

function comparison(flags: ReadonlySet<string>, specs: readonly string[], separator: string | undefined): Comparison {
  const general = [...flags].filter((flag) => ORDERS.includes(flag)).join("");
  const keys = specs.map((spec) => keyOf(spec, general));
  const whole: Key = { from: { field: 1, character: 1, skipsBlanks: general.includes("b") }, to: null, how: general };
  const comparisons = (keys.length > 0 ? keys : [whole]).map((key) => {
    const compare = orderOf(key.how);
    const sign = key.how.includes("r") ? -1 : 1;
    const parts = new Map<string, string>();
    const part = (line: string) => {
      const known = parts.get(line) ?? partOf(line, key, separator);
      parts.set(line, known);
      return known;
    };
    return (one: string, other: string) => sign * compare(part(one), part(other));
  });
  if (!flags.has("s") && !flags.has("u"))
    comparisons.push((one, other) => (flags.has("r") ? -1 : 1) * byText(one, other));
  return (one, other) => {
    for (const compare of comparisons) {
      const result = compare(one, other);
      if (result !== 0) return result;
    }
    return 0;
  };
}

function keyOf(spec: string, general: string): Key {
  const [, field, character = "1", how = "", toField, toCharacter = "0", toHow = ""] =
    /^(\d+)(?:\.(\d+))?([bdfghinMRrV]*)(?:,(\d+)(?:\.(\d+))?([bdfghinMRrV]*))?$/.exec(spec) ?? [];
  if (field === undefined || field === "0") throw new Refusal(`invalid key: '${spec}'`, 2);
  const own = how + toHow;
  const inherits = own === "";
  const skips = (letters: string) => (inherits ? general : letters).includes("b");
  return {
    from: { field: Number(field), character: Number(character), skipsBlanks: skips(how) },
    to:
      toField === undefined
        ? null
        : { field: Number(toField), character: Number(toCharacter), skipsBlanks: skips(toHow) },
    how: inherits ? general : own,
  };
}

/** Returns the part that the key selects; unless a separator is given, a field includes the blanks before it. */
function partOf(line: string, { from, to }: Key, separator: string | undefined): string {
  const starts: (readonly [start: number, end: number])[] = [];
  if (separator === undefined) {
    for (const match of line.matchAll(/(?:^|(?<=[^ \t]))[ \t]*[^ \t]*/g))
      starts.push([match.index, match.index + match[0].length]);
  } else {
    let at = 0;
    for (const field of line.split(separator)) {
      starts.push([at, at + field.length]);
      at += field.length + 1;
    }
  }
  const [begin, beginEnd] = starts[from.field - 1] ?? [line.length, line.length];
  const start = Math.min(
    (from.skipsBlanks ? behindBlanks(line, begin) : begin) + from.character - 1,
    Math.max(beginEnd, begin),
  );
  if (to === null) return line.slice(from.character > 1 ? start : from.skipsBlanks ? behindBlanks(line, begin) : begin);
  const [last, lastEnd] = starts[to.field - 1] ?? [line.length, line.length];
  const stop = to.character === 0 ? lastEnd : (to.skipsBlanks ? behindBlanks(line, last) : last) + to.character;
  return line.slice(start, Math.max(start, stop));
}

function behindBlanks(line: string, at: number): number {
  let position = at;
  while (line.charAt(position) === " " || line.charAt(position) === "\t") position += 1;
  return position;
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function orderOf(how: string): Comparison {
  const by = (value: (text: string) => number) => (one: string, other: string) => value(one) - value(other);
  if (how.includes("n")) return by(numeric);
  if (how.includes("g")) return generalNumeric;
  if (how.includes("h")) return (one, other) => unitOf(one) - unitOf(other) || numeric(one) - numeric(other);
  if (how.includes("M")) return by((text) => MONTHS.indexOf(text.trimStart().slice(0, 3).toUpperCase()));
  if (how.includes("V")) return byVersion;
  if (how.includes("R")) return shuffled();
  const fold = how.includes("f") ? (text: string) => text.toUpperCase() : (text: string) => text;
  const plain = how.includes("d") ? (text: string) => text.replace(/[^\p{L}\p{N} \t]/gu, "") : (text: string) => text;
  return (one, other) => byText(fold(plain(one)), fold(plain(other)));
}

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

function numeric(text: string): number {
  return Number(/^[ \t]*(-?\d*\.?\d*)/.exec(text)?.[1]?.replace(/^(-?)\.?$/, "0") ?? 0);
}

function generalNumeric(one: string, other: string): number {
  const [a, b] = [Number.parseFloat(one), Number.parseFloat(other)];
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the rank of the unit suffix, which outweighs the digits; negative for negative numbers. */
function unitOf(text: string): number {
  const [, sign, suffix = ""] = /^[ \t]*(-?)[\d.]+([KkMGTPEZY]?)/.exec(text) ?? [];
  const power = suffix === "" ? 0 : "KMGTPEZY".indexOf(suffix.toUpperCase()) + 1;
  return sign === "-" ? -power : power;
}

/**
 * Compares names with versions as GNU's `filevercmp` does: an empty one comes first, then hidden ones, and what precedes
 * the suffix of a file counts before the suffix.
 */
export function byVersion(one: string, other: string): number {
  return placeOf(one) - placeOf(other) || byRuns(stemOf(one), stemOf(other)) || byRuns(one, other);
}

function placeOf(name: string): number {
  const special = ["", ".", ".."].indexOf(name);
  return special >= 0 ? special : name.startsWith(".") ? 3 : 4;
}

/** A name without the parts at its end that are suffixes, as `.tar.gz` is. */
function stemOf(name: string): string {
  const parts = name.split(".");
  const least = name.startsWith(".") ? 2 : 1;
  while (parts.length > least && /^[A-Za-z~][A-Za-z0-9~]*$/.test(parts.at(-1) ?? "")) parts.pop();
  return parts.join(".");
}

/** Compares runs of digits by value; of other characters `~` comes before the end, then letters, then the rest. */
function byRuns(one: string, other: string): number {
  const partsOf = (text: string) => text.match(/\d+|\D+/g) ?? [];
  const [a, b] = [partsOf(one), partsOf(other)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const [left = "", right = ""] = [a[at], b[at]];
    const areNumbers = /^\d*$/.test(left) && /^\d*$/.test(right);
    const result = areNumbers ? byDigits(left, right) : byText(ranked(left), ranked(right));
    if (result !== 0) return result;
  }
  return 0;
}

/** Compares numbers of any length. */
function byDigits(one: string, other: string): number {
  const [a, b] = [one.replace(/^0+/, ""), other.replace(/^0+/, "")];
  return a.length - b.length || byText(a, b);
}

function ranked(text: string): string {
  const end = "\u0001";
  if (/^\d/.test(text)) return end;
  const ranks = Array.from(text, (one) => {
    if (one === "~") return "\0";
    return /[A-Za-z]/.test(one) ? `\u0002${one}` : `\u0003${one}`;
  });
  return ranks.join("") + end;
}

function shuffled(): Comparison {
  const places = new Map<string, number>();
  const place = (text: string) => {
    const known = places.get(text);
    if (known !== undefined) return known;
    const chosen = Math.random();
    places.set(text, chosen);
    return chosen;
  };
  return (one, other) => place(one) - place(other);
}
