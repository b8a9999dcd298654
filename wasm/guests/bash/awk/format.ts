import { textOfEachByte } from "../../runtime/text-encoding.ts";
import { formatText } from "./characters.ts";
import { formatNumber } from "./numbers.ts";
import { Numeral, numberOf, type Value } from "./values.ts";

/** A part of a format: a text as it is, or a conversion of a value. */
type Part = string | Conversion;

interface Conversion {
  readonly letter: string;
  readonly flags: string;
  /** A number, `*` for one of the values, or nothing. */
  readonly width: string;
  readonly precision: string;
  /** Number of the value that is meant; 0 for the next one. */
  readonly value: number;
  readonly text: string;
}

const CONVERSION = /%(?:(\d+)\$)?([-+ #0']*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlLjzt]*([a-zA-Z%])?/g;
const formats = new Map<string, readonly Part[]>();
const MAX_FORMATS = 200;

function partsOf(format: string): readonly Part[] {
  const known = formats.get(format);
  if (known !== undefined) return known;
  const parts: Part[] = [];
  let from = 0;
  for (const found of format.matchAll(CONVERSION)) {
    const [text, value = "0", flags = "", width = "", precision = "", letter] = found;
    if (found.index > from) parts.push(format.slice(from, found.index));
    from = found.index + text.length;
    if (letter === "%") parts.push("%");
    else if (letter === undefined || !/[diouxXeEfFgGaAsc]/.test(letter)) parts.push(text);
    else {
      const places = text.includes(".") && precision === "" ? "0" : precision;
      parts.push({ letter, flags, width, precision: places, value: Number(value), text });
    }
  }
  if (from < format.length) parts.push(format.slice(from));
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(format, parts);
  return parts;
}

interface Texts {
  readonly textOf: (value: Value) => string;
  /** Whether the numbers of `%c` are those of bytes. */
  readonly hasByteCharacters: boolean;
}

/** What `printf` makes of a format and values. */
export function formatted(format: string, values: readonly Value[], texts: Texts): string {
  let next = 0;
  const take = (at: number): Value => {
    const value = values[at === 0 ? next++ : at - 1];
    if (value === undefined) throw new Error(`there are too few values for the format ${format}`);
    return value;
  };
  let output = "";
  for (const part of partsOf(format)) {
    if (typeof part === "string") {
      output += part;
      continue;
    }
    let { flags, width, precision } = part;
    if (width === "*") {
      const given = Math.trunc(numberOf(take(0)));
      if (given < 0) flags += "-";
      width = String(Math.abs(given));
    }
    if (precision === "*") precision = String(Math.max(Math.trunc(numberOf(take(0))), -1)).replace("-1", "");
    output += converted({ letter: part.letter, flags, width, precision }, take(part.value), texts);
  }
  return output;
}

const BYTE = 0xff;
/** Negative numbers are shown as the machine holds them. */
const TWO_64 = 1n << 64n;
const BASES: Readonly<Record<string, number>> = { o: 8, x: 16, X: 16, u: 10 };

type Shape = Pick<Conversion, "letter" | "flags" | "width" | "precision">;

function converted(shape: Shape, value: Value, { textOf, hasByteCharacters }: Texts): string {
  const { letter, flags } = shape;
  if (letter === "s") return formatText(shape, textOf(value));
  if (letter === "c") {
    const character = value instanceof Numeral ? (value.text === "" ? "" : value.number) : value;
    const isByte = hasByteCharacters && typeof character === "number" && character >= 0;
    return formatText(shape, isByte ? textOfEachByte(String.fromCharCode(character & BYTE)) : character);
  }
  const number = numberOf(value);
  if (letter === "d" && shape.precision === "" && Number.isSafeInteger(number)) return wholeNumber(shape, number);
  if (!Number.isFinite(number)) return numberText(number, "");
  if (/[oxXu]/.test(letter) && number <= -1)
    return formatNumber(shape, 0, (TWO_64 + BigInt(Math.trunc(number))).toString(BASES[letter]));
  return formatNumber({ ...shape, flags: flags.replaceAll("'", "") }, number);
}

/** The most frequent conversion of numbers. */
function wholeNumber({ flags, width, ...others }: Shape, number: number): string {
  if (flags === "" || flags === "-") {
    const text = String(number);
    if (width === "") return text;
    return flags === "" ? text.padStart(Number(width)) : text.padEnd(Number(width));
  }
  return formatNumber({ ...others, flags: flags.replaceAll("'", ""), width }, number);
}

/** Text of a number, by a format such as `%.6g` unless it is whole. */
export function numberText(value: number, format: string): string {
  if (Number.isInteger(value)) return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
  const size = Math.abs(value);
  if (format === "%.6g" && size >= 1e-4 && size < 999_999) return String(Number(value.toPrecision(6)));
  if (Number.isNaN(value)) return "-nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "+inf";
  return formatted(format, [value], { textOf: String, hasByteCharacters: false });
}
