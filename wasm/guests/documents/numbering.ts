import { listIndent } from "./document-writer.ts";
import { visitStarts } from "./package-files.ts";
import { attributeOf } from "./xml.ts";

interface Level {
  format: string;
  /** Such as "%1.%2.", with the counter of each level. */
  text: string;
  start: number;
}

/** A list that paragraphs name; several continue one count if they share their levels. */
interface List {
  levels: string;
  readonly own: Map<number, Level>;
  /** Levels that begin anew where the list begins, with their first numbers. */
  readonly restarts: Map<number, number>;
}

/** The numbers of a Word document's lists, counted while its paragraphs are read. Source: ECMA-376-1, 17.9. */
export class Numbering {
  readonly #levels = new Map<string, Map<number, Level>>();
  readonly #lists = new Map<string, List>();
  readonly #counters = new Map<string, number[]>();

  constructor(xml: Iterable<string>) {
    let levels = new Map<number, Level>();
    let level: Level = { format: "decimal", text: "", start: 1 };
    let list: List = { levels: "", own: new Map(), restarts: new Map() };
    let depth = 0;
    visitStarts(xml, (tag) => {
      const value = attributeOf(tag, "val") ?? "";
      if (tag.name === "abstractNum") {
        levels = new Map();
        this.#levels.set(attributeOf(tag, "abstractNumId") ?? "", levels);
      } else if (tag.name === "lvl") {
        level = { format: "decimal", text: "", start: 1 };
        levels.set(Number(attributeOf(tag, "ilvl")), level);
      } else if (tag.name === "numFmt") level.format = value;
      else if (tag.name === "lvlText") level.text = value;
      else if (tag.name === "start") level.start = Number(value);
      else if (tag.name === "num") {
        levels = new Map();
        list = { levels: "", own: levels, restarts: new Map() };
        this.#lists.set(attributeOf(tag, "numId") ?? "", list);
      } else if (tag.name === "abstractNumId") list.levels = value;
      else if (tag.name === "lvlOverride") depth = Number(attributeOf(tag, "ilvl"));
      else if (tag.name === "startOverride") list.restarts.set(depth, Number(value));
    });
  }

  /** What the next paragraph of a list begins with; "" if the list has no marks. */
  next(id: string, depth: number): string {
    const list = this.#lists.get(id);
    if (list === undefined) return "";
    const levels = new Map([...(this.#levels.get(list.levels) ?? []), ...list.own]);
    const level = levels.get(depth);
    if (level === undefined) return "";
    if (level.format === "bullet") return `${listIndent(depth)}- `;
    const counters = this.#count(list, depth, level.start);
    const mark = level.text.replace(/%([1-9])/g, (_, digit) => {
      const shown = levels.get(Number(digit) - 1);
      return shown === undefined ? "" : numeral(counters[Number(digit) - 1] ?? shown.start, shown.format);
    });
    return mark === "" || level.format === "none" ? "" : `${listIndent(depth)}${mark} `;
  }

  #count({ levels, restarts }: List, depth: number, start: number): readonly number[] {
    const counters = this.#counters.get(levels) ?? [];
    this.#counters.set(levels, counters);
    counters.length = Math.min(counters.length, depth + 1);
    const restart = restarts.get(depth);
    restarts.delete(depth);
    counters[depth] = restart ?? (counters[depth] ?? start - 1) + 1;
    return counters;
  }
}

/** A number in a format of Word's, or in one of OpenDocument's. */
export function numeral(number: number, format: string): string {
  if (format === "lowerLetter" || format === "a") return letters(number);
  if (format === "upperLetter" || format === "A") return letters(number).toUpperCase();
  if (format === "lowerRoman" || format === "i") return roman(number).toLowerCase();
  if (format === "upperRoman" || format === "I") return roman(number);
  return String(number);
}

/** a to z, then aa to zz. */
function letters(number: number): string {
  return String.fromCharCode(97 + ((Math.max(number, 1) - 1) % 26)).repeat(Math.min(Math.ceil(number / 26), 9));
}

const ROMAN = [
  ["M", 1000],
  ["CM", 900],
  ["D", 500],
  ["CD", 400],
  ["C", 100],
  ["XC", 90],
  ["L", 50],
  ["XL", 40],
  ["X", 10],
  ["IX", 9],
  ["V", 5],
  ["IV", 4],
  ["I", 1],
] as const;

function roman(number: number): string {
  let left = Math.min(number, 3_999);
  let text = "";
  for (const [numerals, value] of ROMAN) {
    for (; left >= value; left -= value) text += numerals;
  }
  return text;
}
