import { characterCount } from "../text/width.ts";
import type { Zone } from "../time/zone.ts";
import { zoneOf } from "../time/zones.ts";
import { positionOf, replacementOf } from "./characters.ts";
import { numeralOf } from "./language/tokens.ts";
import type { Pattern } from "./patterns.ts";
import { Random } from "./random.ts";
import { Run } from "./run.ts";
import { partsBetween, partsMatching, splitterOf } from "./split.ts";
import { GREENWICH, now, strftime, timeOf } from "./time.ts";
import { type Elements, inputValue, isElements, Numeral, numberIn, UNSET, type Value } from "./values.ts";

/** The functions of awk that a translated program calls by their names, on the state that they need. */
export class Awk extends Run {
  /** How often the last `sub` or `gsub` has replaced. */
  replacements = 0;
  readonly #random = new Random();

  replaced(...[pattern, replacement, text, all]: Replacement): string {
    this.replacements = 0;
    const { plain } = pattern;
    const isConstant = !/[&\\]/.test(replacement);
    if (plain !== null && isConstant && all) {
      const parts = text.split(plain);
      this.replacements = parts.length - 1;
      return parts.join(replacement);
    }
    if (!pattern.test(text)) return text;
    const made = (match: string): string => (isConstant ? replacement : replacementOf(replacement, match));
    return this.#eachMatch({ pattern, text, all }, ([match]) => made(match));
  }

  /** Replaces the first match, or all; nothing is matched right behind a match. */
  #eachMatch({ pattern, text, all }: Replacing, replace: (found: RegExpExecArray) => string): string {
    const regex = pattern.regex("g");
    let output = "";
    let from = 0;
    let end = -1;
    for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
      const { 0: match, index } = found;
      if (match === "") regex.lastIndex += (text.codePointAt(index) ?? 0) > 0xff_ff ? 2 : 1;
      if (match === "" && index === end) continue;
      output += text.slice(from, index) + replace(found);
      this.replacements += 1;
      from = index + match.length;
      end = from;
      if (!all) break;
    }
    return output + text.slice(from);
  }

  gensub(...[pattern, replacement, text, which]: readonly [...Texts, which: string]): string {
    const wanted = /^[gG]/.test(which) ? 0 : Math.max(Math.trunc(numberIn(which)), 1);
    let count = 0;
    return this.#eachMatch({ pattern, text, all: true }, (found) => {
      count += 1;
      if (wanted !== 0 && count !== wanted) return found[0];
      return replacement.replace(/\\([^])|&/g, (escape, one: string | undefined) => {
        if (one === undefined || one === "0") return found[0];
        return /\d/.test(one) ? (found[Number(one)] ?? "") : one === "&" ? "&" : escape.slice(1);
      });
    });
  }

  match(text: string, given: string | Pattern, groups?: Elements): number {
    const pattern = typeof given === "string" ? this.pattern(given) : given;
    const found = pattern.regex(groups === undefined ? "" : "d").exec(text);
    if (groups !== undefined) this.#fill(groups, found);
    this.RSTART = found === null ? 0 : positionOf(text, found.index);
    this.RLENGTH = found === null ? -1 : characterCount(found[0]);
    return this.RSTART;
  }

  /** Fills the array of match's third argument: the whole match at 0, groups by number, and their places. */
  #fill(elements: Elements, found: RegExpExecArray | null): void {
    elements.clear();
    for (const [at, group] of (found ?? []).entries()) {
      if (typeof group !== "string") continue;
      elements.set(String(at), inputValue(group));
      elements.set(`${at}${this.SUBSEP}start`, positionOf(found?.input ?? "", found?.indices?.[at]?.[0] ?? 0));
      elements.set(`${at}${this.SUBSEP}length`, characterCount(group));
    }
  }

  split(...[text, elements, separator, between]: Splitting): number {
    const isPlain = typeof separator === "string" && separator.length <= 1;
    if (between === undefined || (isPlain && separator !== " ")) {
      const parts =
        separator === undefined
          ? this.fields.partsOf(text)
          : typeof separator === "string"
            ? splitterOf(separator)(text)
            : partsBetween(text, separator.regex("g")).parts;
      put(
        between,
        parts.length < 2 || separator === ""
          ? []
          : parts.slice(1).map(() => (typeof separator === "string" ? separator : "")),
        1,
      );
      return put(elements, parts, 1);
    }
    const given = separator ?? this.fields.FS;
    const isBlank = given === " ";
    const pattern = typeof given === "string" ? this.pattern(isBlank ? "[ \t\n]+" : literal(given)) : given;
    const { parts, separators } = partsBetween(text, pattern.regex("g"));
    const first = isBlank && parts[0] === "" ? 0 : 1;
    if (first === 0) parts.shift();
    if (isBlank && parts.at(-1) === "") parts.pop();
    put(between, separators, first);
    return put(elements, parts, 1);
  }

  /** Splits a text into what a pattern matches. */
  patsplit(...[text, elements, separator, between]: Splitting): number {
    const given = separator ?? this.fields.FPAT;
    const pattern = typeof given === "string" ? this.pattern(given) : given;
    const { parts, separators } = partsMatching(text, pattern.regex("g"));
    put(between, separators, 0);
    return put(elements, parts, 1);
  }

  asort(...[source, target = source, how]: Sorting): number {
    const values = this.sorted(source, how ?? "@val_type_asc").map(([, value]) => value);
    return fill(target, values);
  }

  asorti(...[source, target = source, how]: Sorting): number {
    return fill(
      target,
      this.sorted(source, how ?? "@ind_str_asc").map(([key]) => key),
    );
  }

  index(text: string, wanted: string): number {
    const at = text.indexOf(wanted);
    return at === -1 ? 0 : positionOf(text, at);
  }

  tolower(text: string): string {
    return text.toLowerCase();
  }

  /** Letters become others one by one. */
  toupper(text: string): string {
    return text.replace(/ß/g, "\0").toUpperCase().replaceAll("\0", "ß");
  }

  sin = Math.sin;
  cos = Math.cos;
  atan2 = Math.atan2;
  exp = Math.exp;
  log = Math.log;
  sqrt = Math.sqrt;
  int = Math.trunc;
  rand = (): number => this.#random.next();
  srand = (seed?: number): number => this.#random.seed(seed);
  systime = now;
  mktime = (text: string, isUtc = ""): number => timeOf(text, isUtc === "" ? this.#zone() : GREENWICH);
  fflush = (): number => this.streams.sync();
  and = bitwise((a, b) => a & b);
  or = bitwise((a, b) => a | b);
  xor = bitwise((a, b) => a ^ b);
  lshift = (value: number, by: number): number => Number(whole(value) << whole(by));
  rshift = (value: number, by: number): number => Number(whole(value) >> whole(by));
  compl = (value: number): number => 2 ** 53 - 1 - Number(whole(value));

  #zone(): Zone {
    const zone = this.ENVIRON.get("TZ");
    return zoneOf(zone === undefined || isElements(zone) ? undefined : this.textOf(zone));
  }

  strftime(format?: string, time?: string, isUtc = ""): string {
    return strftime(format, time === undefined ? undefined : numberIn(time), isUtc === "" ? this.#zone() : GREENWICH);
  }

  strtonum(value: Value): number {
    if (typeof value === "number") return value;
    const text = typeof value === "string" ? value : value.text;
    const [numeral] = /^\s*(?:0x[\da-f]+|0[0-7]+(?![\d.e]))/i.exec(text) ?? [];
    return numeral === undefined ? numberIn(text) : numeralOf(numeral.trim());
  }

  typeof(value: Value | Elements): string {
    if (isElements(value)) return "array";
    if (value === UNSET) return "untyped";
    return value instanceof Numeral ? "strnum" : typeof value;
  }

  isarray(value: Value | Elements): number {
    return isElements(value) ? 1 : 0;
  }
}

type Texts = readonly [pattern: Pattern, replacement: string, text: string];
type Replacement = readonly [...Texts, all: boolean];

interface Replacing {
  readonly pattern: Pattern;
  readonly text: string;
  readonly all: boolean;
}

type Splitting = readonly [
  text: string,
  elements: Elements,
  separator: string | Pattern | undefined,
  between: Elements | undefined,
];

type Sorting = readonly [source: Elements, target: Elements | undefined, how: string | undefined];

/** Fills an array with texts of the input. */
function put(elements: Elements | undefined, texts: readonly string[], first: number): number {
  if (elements === undefined) return 0;
  elements.clear();
  for (const [at, text] of texts.entries()) elements.set(String(at + first), inputValue(text));
  return texts.length;
}

function fill(elements: Elements, values: readonly (Value | Elements)[]): number {
  elements.clear();
  for (const [at, value] of values.entries()) elements.set(String(at + 1), value);
  return values.length;
}

/** A pattern that matches a separator, which means itself if it is one character. */
function literal(separator: string): string {
  return separator.length === 1 ? separator.replace(/[\\^$.*+?()[\]{}|]/, "\\$&") : separator;
}

function whole(value: number): bigint {
  if (!(value >= 0)) throw new Error("bitwise functions take no negative numbers");
  return BigInt(Math.trunc(value));
}

function bitwise(join: (a: bigint, b: bigint) => bigint): (...values: readonly number[]) => number {
  return (...values) => Number(values.map(whole).reduce(join));
}
