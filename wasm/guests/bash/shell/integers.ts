import { formatNumber } from "../awk/numbers.ts";

/** A whole number of 64 bits: a bigint where JavaScript's numbers are not exact, and only there. */
export type Integer = number | bigint;

const BITS = 64;

function wrapped64(value: bigint): Integer {
  const wrapped = BigInt.asIntN(BITS, value);
  const short = Number(wrapped);
  return Number.isSafeInteger(short) ? short : wrapped;
}

/** Parses the number at the beginning of a text; 0 if there is none. */
export function parseInteger(text: string): Integer {
  const [found] = /^\s*[-+]?\d+/.exec(text) ?? [];
  return found === undefined ? 0 : wrapped64(BigInt(found.trim().replace("+", "")));
}

/** Parses a long numeral, which may exceed JavaScript's safe integers; undefined for other texts. */
export function parseLongNumeral(numeral: string): Integer | undefined {
  if (numeral.length < 13 || !/^(?:0x[\da-f]+|0[0-7]+|[1-9]\d*)$/i.test(numeral)) return undefined;
  return wrapped64(BigInt(/^0\d/.test(numeral) ? `0o${numeral.slice(1)}` : numeral));
}

/** Exact result of an operator; undefined for operators that need no 64 bits and for errors that the caller reports. */
export function exactResult(a: Integer, b: Integer, operator: string): Integer | undefined {
  const short = typeof a === "number" && typeof b === "number" ? shortResult(a, b, operator) : undefined;
  if (short !== undefined && Number.isSafeInteger(short)) return short;
  const long = longResult(BigInt(a), BigInt(b), operator);
  return long === undefined ? undefined : wrapped64(long);
}

function shortResult(a: number, b: number, operator: string): number | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    default:
      return undefined;
  }
}

function longResult(a: bigint, b: bigint, operator: string): bigint | undefined {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return b === 0n ? undefined : a / b;
    case "%":
      return b === 0n ? undefined : a % b;
    case "**":
      return b < 0n ? undefined : power(a, b);
    case "<<":
      return a << (b & 63n);
    case ">>":
      return a >> (b & 63n);
    case "&":
      return a & b;
    case "|":
      return a | b;
    case "^":
      return a ^ b;
    default:
      return undefined;
  }
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = BigInt.asIntN(BITS, result * square);
    square = BigInt.asIntN(BITS, square * square);
  }
  return result;
}

const NUMERAL = /^\s*([-+]?)(0x[\da-f]+|0[0-7]*|[1-9]\d*)$/i;

/** Formats a numeral for `printf` that JavaScript's numbers cannot represent in 64 bits; undefined for others. */
export function formatInteger(conversion: string, letter: string, text: string): string | undefined {
  const [, sign = "", digits = ""] = NUMERAL.exec(text) ?? [];
  if (digits === "" || !/[diouxX]/.test(letter)) return undefined;
  const size = BigInt(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits);
  const isBelow = sign === "-" && size > 0n;
  if (size <= BigInt(Number.MAX_SAFE_INTEGER) && (!isBelow || /[di]/.test(letter))) return undefined;
  const value = isBelow ? -size : size;
  const [, flags = "", width = "", precision] = /^%([-+ #0']*)([1-9]\d*)?(?:\.(\d+))?/.exec(conversion) ?? [];
  const shown = withDigits(letter, value).padStart(Number(precision ?? 0), "0");
  const prefix = /[di]/.test(letter) ? signOf(value, flags) : flags.includes("#") ? (PREFIXES[letter] ?? "") : "";
  if (flags.includes("-")) return (prefix + shown).padEnd(Number(width));
  if (!flags.includes("0") || precision !== undefined) return (prefix + shown).padStart(Number(width));
  return prefix + shown.padStart(Number(width) - prefix.length, "0");
}

const PREFIXES: Readonly<Record<string, string>> = { o: "0", x: "0x", X: "0X" };

function signOf(value: bigint, flags: string): string {
  if (value < 0n) return "-";
  return flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

const [LEAST, MOST, MAX_BITS] = [-9_223_372_036_854_775_808n, 9_223_372_036_854_775_807n, 18_446_744_073_709_551_615n];

/** Writes the digits of a value without a sign, clamped to 64 bits. */
function withDigits(letter: string, value: bigint): string {
  if (/[di]/.test(letter)) return String(value < LEAST ? -LEAST : value > MOST ? MOST : value < 0n ? -value : value);
  const bits = value < 0n ? value + MAX_BITS + 1n : value > MAX_BITS ? MAX_BITS : value;
  const digits = bits.toString({ o: 8, x: 16, X: 16 }[letter] ?? 10);
  return letter === "X" ? digits.toUpperCase() : digits;
}

/** Whether a text is not a valid floating-point number. */
export function isInvalidNumber(text: string): boolean {
  return !/^\s*(?:|[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?|0x[\da-f]+(?:\.[\da-f]*)?(?:p[-+]?\d+)?|inf(?:inity)?|nan))$/i.test(
    text,
  );
}

interface FloatConversion {
  readonly conversion: string;
  readonly letter: string;
  /** The number as it was written. */
  readonly text: string;
}

/** Formats a floating-point number for `printf`. */
export function formatFloat({ conversion, letter, text }: FloatConversion, value: number): string {
  const [, flags = "", width = "", places] = /^%([-+ #0']*)([1-9]\d*)?(?:\.(\d*))?/.exec(conversion) ?? [];
  const digits = /f/i.test(letter) ? extendedFixed(text, places === undefined ? 6 : Number(places)) : undefined;
  return formatNumber({ letter, flags, width, precision: places === "" ? "0" : (places ?? "") }, value, digits);
}

/** Bits of the mantissa of `long double`, in which bash calculates. */
const MANTISSA_BITS = 64;

/** Writes a decimal number's size as C's `long double` with fixed places; undefined for other and extreme numbers. */
function extendedFixed(text: string, places: number): string | undefined {
  const [found, whole = "", fraction = "", exponent = "0"] =
    /^\s*[-+]?(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const tens = Number(exponent) - fraction.length;
  if (found === undefined || found.length > 60 || Math.abs(tens) > 60) return undefined;
  const [up, down] = [10n ** BigInt(Math.max(tens, 0)), 10n ** BigInt(Math.max(-tens, 0))];
  const size = BigInt(whole + fraction || "0") * up;
  const most = BigInt(MANTISSA_BITS - size.toString(2).length + down.toString(2).length);
  const isLong = ((size << (most > 0n ? most : 0n)) / (down << (most < 0n ? -most : 0n))) >> BigInt(MANTISSA_BITS) > 0n;
  const shift = isLong ? most - 1n : most;
  const scaled = shift > 0n ? rounded(size << shift, down) : rounded(size, down << -shift);
  const digits = rounded(
    scaled * 10n ** BigInt(places) * (shift < 0n ? 1n << -shift : 1n),
    shift > 0n ? 1n << shift : 1n,
  )
    .toString()
    .padStart(places + 1, "0");
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** The quotient of two positive numbers, whose halves are rounded to even numbers. */
function rounded(value: bigint, by: bigint): bigint {
  const [quotient, rest] = [value / by, 2n * (value % by)];
  return rest > by || (rest === by && quotient % 2n === 1n) ? quotient + 1n : quotient;
}
