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
  const order = orderOf(flags, values.get("k")?.split(KEY_END) ?? [], separator);
  if (flags.has("c") || flags.has("C")) {
    const wrong = lines.findIndex(
      (line, at) => at > 0 && compared(lines[at - 1] ?? "", line, order) > (flags.has("u") ? -1 : 0),
    );
    if (wrong === -1) return "";
    if (flags.has("c")) call.complaints.push(`${inputs[0]?.name ?? "-"}:${wrong + 1}: disorder: ${lines[wrong]}`);
    return ["", 1];
  }
  const sorted = flags.has("m")
    ? merged(
        inputs.map((input) => linesOf(textOf(input), end)),
        order,
        flags.has("u"),
      )
    : arranged(lines, order, flags.has("u"));
  const text = joined(sorted, end);
  const file = values.get("o");
  if (file === undefined) return text;
  await context.fs.writeFile(context.fs.resolvePath(context.cwd, file), text);
  return "";
}

type Value = string | number | bigint;

/** A value by which lines are ordered; what lines are equal in, later ones decide. */
interface Criterion {
  readonly valueOf: (line: string) => Value;
  readonly isReversed: boolean;
}

function orderOf(flags: ReadonlySet<string>, specs: readonly string[], separator: string | undefined): Criterion[] {
  const general = [...flags].filter((flag) => ORDERS.includes(flag)).join("");
  const whole: Key = { from: { field: 1, character: 1, skipsBlanks: general.includes("b") }, to: null, how: general };
  const keys = specs.length === 0 ? [whole] : specs.map((spec) => keyOf(spec, general));
  const order = keys.flatMap((key) => {
    const partOf = parting(key, separator);
    const isReversed = key.how.includes("r");
    return valuesOf(key.how).map((value) => ({ valueOf: (line: string) => value(partOf(line)), isReversed }));
  });
  if (flags.has("s") || flags.has("u")) return order;
  return [...order, { valueOf: (line) => line, isReversed: flags.has("r") }];
}

function compared(one: string, other: string, order: readonly Criterion[]): number {
  for (const { valueOf, isReversed } of order) {
    const result = byValue(valueOf(one), valueOf(other));
    if (result !== 0) return isReversed ? -result : result;
  }
  return 0;
}

/**
 * Sorts lines, keeping the order of equal ones or only the first of them. Groups of lines with the same value are
 * formed first, since computing a value takes longer than comparing two.
 */
function arranged(lines: readonly string[], [criterion, ...others]: readonly Criterion[], isUnique: boolean): string[] {
  if (criterion === undefined) return lines.slice(0, isUnique ? 1 : undefined);
  const groups = Map.groupBy(lines, criterion.valueOf);
  const values = [...groups.keys()];
  // Without a comparison of ours, the engine compares texts by itself, and faster.
  values.sort(typeof values[0] === "string" ? undefined : byValue);
  if (criterion.isReversed) values.reverse();
  return values.flatMap((value) => {
    const group = groups.get(value) ?? [];
    return group.length === 1 ? group : arranged(group, others, isUnique);
  });
}

/** Merges lists of lines, which should be sorted: the least of their next lines follows, also if they are not. */
function merged(lists: readonly (readonly string[])[], order: readonly Criterion[], isUnique: boolean): string[] {
  const open = lists.filter((list) => list.length > 0).map((list) => ({ list, at: 0, line: list[0] ?? "" }));
  const lines: string[] = [];
  while (open.length > 0) {
    const least = open.reduce((one, other) => (compared(one.line, other.line, order) <= 0 ? one : other));
    const last = lines.at(-1);
    if (!isUnique || last === undefined || compared(last, least.line, order) !== 0) lines.push(least.line);
    least.at++;
    if (least.at === least.list.length) open.splice(open.indexOf(least), 1);
    least.line = least.list[least.at] ?? "";
  }
  return lines;
}

export function byValue(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0;
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

/** Returns how to take the part that the key selects. */
function parting({ from, to }: Key, separator: string | undefined): (line: string) => string {
  const begin = placing(from, separator);
  if (to === null) return (line) => line.slice(begin(line));
  const stop =
    to.character === 0 ? endOf(to.field, separator) : placing({ ...to, character: to.character + 1 }, separator);
  return (line) => {
    const start = begin(line);
    return line.slice(start, Math.max(start, stop(line)));
  };
}

type Place = (line: string) => number;

/** Returns where a character is, or the end of a line that is shorter. */
function placing({ field, character, skipsBlanks }: Position, separator: string | undefined): Place {
  const before = field === 1 ? () => 0 : endOf(field - 1, separator);
  const width = field > 1 && separator !== undefined ? 1 : 0;
  return (line) => {
    const start = before(line) + width;
    return Math.min((skipsBlanks ? behindBlanks(line, start) : start) + character - 1, line.length);
  };
}

/** Returns where a field ends; unless a separator is given, it includes the blanks before it. */
function endOf(field: number, separator: string | undefined): Place {
  if (separator === undefined) {
    const fields = new RegExp(`^(?:[ \\t]*(?:[^ \\t]+|$)){0,${field}}`);
    return (line) => fields.exec(line)?.[0].length ?? 0;
  }
  return (line) => {
    let at = -1;
    for (let found = 0; found < field; found++) {
      at = line.indexOf(separator, at + 1);
      if (at === -1) return line.length;
    }
    return at;
  };
}

function behindBlanks(line: string, at: number): number {
  let position = at;
  while (line.charAt(position) === " " || line.charAt(position) === "\t") position += 1;
  return position;
}

/** Returns how to compute the values by which parts are ordered. */
function valuesOf(how: string): readonly ((text: string) => Value)[] {
  if (how.includes("n")) return [numeric];
  if (how.includes("g")) return [kindOfGeneral, (text) => generalNumber(text) || 0];
  if (how.includes("h")) return [unitOf, numeric];
  if (how.includes("M")) return [(text) => MONTHS.indexOf(text.trimStart().slice(0, 3).toUpperCase())];
  if (how.includes("V")) return [versionKey];
  if (how.includes("R")) return [shuffling()];
  const fold = how.includes("f") ? (text: string) => text.toUpperCase() : (text: string) => text;
  const plain = how.includes("d") ? (text: string) => text.replace(/[^\p{L}\p{N} \t]/gu, "") : (text: string) => text;
  return [(text) => fold(plain(text))];
}

const MONTHS = "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC".split(" ");

/** The number that a text begins with; exact if it is whole, however long. */
function numeric(text: string): number | bigint {
  const [, digits = "0"] = /^[ \t]*(-?(?:\d+\.?\d*|\.\d+))/.exec(text) ?? [];
  const value = Number(digits);
  return Math.abs(value) > Number.MAX_SAFE_INTEGER ? BigInt(digits.replace(/\..*/, "")) : value;
}

/** The number, also a hexadecimal or an infinite one, that a text begins with; NaN for others, and null for none. */
function generalNumber(text: string): number | null {
  const [, sign = "", number, name] =
    /^\s*([-+]?)(?:(0x[\da-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?)|(inf|nan))/i.exec(text) ?? [];
  if (number === undefined && name === undefined) return null;
  const size =
    number === undefined ? (/inf/i.test(name ?? "") ? Number.POSITIVE_INFINITY : Number.NaN) : Number(number);
  return sign === "-" ? -size : size;
}

/** What is no number comes first, then NaN. */
function kindOfGeneral(text: string): number {
  const number = generalNumber(text);
  return number === null ? 0 : Number.isNaN(number) ? 1 : 2;
}

/** Returns the rank of the unit suffix, which outweighs the digits; negative for negative numbers. */
function unitOf(text: string): number {
  const [, sign, suffix = ""] = /^[ \t]*(-?)[\d.]+([KkMGTPEZY]?)/.exec(text) ?? [];
  const power = suffix === "" ? 0 : "KMGTPEZY".indexOf(suffix.toUpperCase()) + 1;
  return sign === "-" ? -power : power;
}

/**
 * A text by which names with versions are in the order of GNU's `filevercmp`: an empty one comes first, then hidden ones,
 * and what precedes the suffix of a file counts before the suffix.
 */
export function versionKey(name: string): string {
  return placeOf(name) + runsKey(stemOf(name)) + runsKey(name);
}

function placeOf(name: string): string {
  const special = ["", ".", ".."].indexOf(name);
  return String(special >= 0 ? special : name.startsWith(".") ? 3 : 4);
}

/** A name without the parts at its end that are suffixes, as `.tar.gz` is. */
function stemOf(name: string): string {
  let end = name.length;
  for (;;) {
    const dot = name.lastIndexOf(".", end - 1);
    if (dot < 1 || !/^\.[A-Za-z~][A-Za-z0-9~]*$/.test(name.slice(dot, end))) return name.slice(0, end);
    end = dot;
  }
}

/** Orders runs of digits by value; of other characters `~` comes before the end, then letters, then the rest. */
function runsKey(text: string): string {
  const ranked = text
    .replace(/(^|\D)0+$/, "$1")
    .replace(/[^A-Za-z0-9~]/g, "\u007F$&")
    .replaceAll("~", "\0");
  // The end counts as a number without digits and an empty text.
  return `${ranked.replace(/\d+/g, numberKey)}\u0001\0\u0001`;
}

function numberKey(digits: string): string {
  const number = digits.replace(/^0+/, "");
  return `\u0001${String.fromCharCode(number.length)}${number}`;
}

/** Returns a random place for each text, the same for equal ones. */
function shuffling(): (text: string) => number {
  const places = new Map<string, number>();
  return (text) => {
    const place = places.get(text) ?? Math.random();
    places.set(text, place);
    return place;
  };
}
