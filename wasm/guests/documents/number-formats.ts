import { attributeOf, visitXml } from "./xml.ts";

/** Built-in formats that change what a number means (ECMA-376-1, 18.8.30), with dates of East Asian languages. */
function builtIn(format: number): string {
  if (format === 9 || format === 10) return "0%";
  if (format === 46) return "[h]:mm:ss";
  const isDate =
    (format >= 14 && format <= 22) ||
    (format >= 27 && format <= 36) ||
    (format >= 45 && format <= 47) ||
    (format >= 50 && format <= 58);
  return isDate ? "yyyy-mm-dd" : "";
}

/** The format of numbers in each of a workbook's styles of cells, by its index. */
export function formatsOf(xml: Iterable<string>): readonly string[] {
  const own = new Map<string, string>();
  const formats: string[] = [];
  let isList = false;
  visitXml(xml, {
    start: (tag) => {
      const id = attributeOf(tag, "numFmtId") ?? "";
      if (tag.name === "numFmt") own.set(id, attributeOf(tag, "formatCode") ?? "");
      else if (tag.name === "cellXfs") isList = true;
      else if (tag.name === "xf" && isList) formats.push(own.get(id) ?? builtIn(Number(id)));
    },
    end: (name) => {
      if (name === "cellXfs") isList = false;
    },
    text: () => undefined,
  });
  return formats;
}

/** Shows numbers in the formats of a workbook. Most cells of a sheet share few formats. */
export class ShownNumbers {
  readonly #startsIn1904: boolean;
  readonly #shows = new Map<string, (number: number) => string>();

  constructor(startsIn1904: boolean) {
    this.#startsIn1904 = startsIn1904;
  }

  /** The number as a date, a duration, a percentage, or with its currency, all digits of it. */
  text(number: number, format: string): string {
    let show = this.#shows.get(format);
    if (show === undefined) {
      show = this.#showIn(format);
      this.#shows.set(format, show);
    }
    return show(number);
  }

  #showIn(format: string): (number: number) => string {
    const [positive = ""] = format.split(";");
    // Without quoted texts, single characters, and what is in brackets: colours, conditions and currencies.
    const bare = positive.replace(/"[^"]*"|\\.|_.|\[[^[\]]*\]|general/gi, "");
    if (/\[(?:h+|m+|s+)\]/i.test(positive)) return durationText;
    if (/[ymdhs]/i.test(bare)) return (days) => dateText(days, this.#startsIn1904);
    if (bare.includes("%")) return (number) => `${digits(number * 100)}%`;
    if (/^0+$/.test(positive)) return (number) => digits(number).padStart(number < 0 ? 0 : positive.length, "0");
    const currency = /(?<=\[\$)[^\]-]+|(?<=" ?)[A-Z]{3}(?=")|(?<!\[)\p{Sc}/u.exec(positive)?.[0];
    return currency === undefined ? digits : (number) => `${digits(number)} ${currency}`;
  }
}

/** Excel calculates with fifteen digits and stores the rounding errors of binary numbers. */
function digits(number: number): string {
  return String(Number(number.toPrecision(15)));
}

/** A day count of Excel as hours, minutes and seconds, which may be more than a day's. */
function durationText(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400);
  const [hours, minutes, rest] = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, "0"),
  );
  return `${days < 0 ? "-" : ""}${hours}:${minutes}:${rest}`;
}

/** A day count of Excel as a date, a time, or both. The calendar of 1900 has a 29 February, which never was. */
function dateText(days: number, startsIn1904: boolean): string {
  const dayZero = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const date = new Date(dayZero + Math.round(days * 86_400) * 1_000);
  if (Number.isNaN(date.getTime()) || days < 0) return String(days);
  const [day = "", time = ""] = date.toISOString().slice(0, 19).split("T");
  if (days < 1) return time;
  return days % 1 === 0 ? day : `${day} ${time}`;
}
