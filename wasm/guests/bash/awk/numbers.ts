/** One conversion of C's `printf`, by its parts; parts that are not specified are empty. */
interface Conversion {
  readonly letter: string;
  readonly flags: string;
  readonly width: string;
  readonly precision: string;
}

/** Formats a number, or a text that begins with one; `exact` replaces the digits of a finite number. */
export function formatNumber(conversion: Conversion, value: unknown, exact?: string): string {
  const { letter, flags, width, precision } = conversion;
  const takesWhole = /[dixXou]/.test(letter);
  const number = takesWhole ? Math.trunc(numberOf(value)) + 0 : numberOf(value);
  const [prefix, found] = exact === undefined ? digitsOf(conversion, Math.abs(number)) : ["", exact];
  const isWhole = takesWhole && precision !== "";
  const digits = isWhole ? found.padStart(Number(precision), "0") : found;
  const positive = flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
  const sign = number < 0 || Object.is(number, -0) ? "-" : positive;
  const text = sign + prefix + digits;
  if (flags.includes("-")) return text.padEnd(Number(width));
  if (!flags.includes("0") || !Number.isFinite(number) || isWhole) return text.padStart(Number(width));
  return sign + prefix + digits.padStart(Number(width) - sign.length - prefix.length, "0");
}

function digitsOf({ letter, flags, precision }: Conversion, size: number): [prefix: string, digits: string] {
  if (Number.isNaN(size)) return ["", "nan"];
  if (!Number.isFinite(size)) return ["", "inf"];
  const places = precision === "" ? 6 : Number(precision);
  const upper = (text: string) => (/[EGX]/.test(letter) ? text.toUpperCase() : text);
  switch (letter.toLowerCase()) {
    case "d":
    case "i":
    case "u":
      return ["", BigInt(Math.trunc(size)).toString()];
    case "x":
      return [flags.includes("#") ? upper("0x") : "", upper(BigInt(Math.trunc(size)).toString(16))];
    case "o":
      return [flags.includes("#") && size !== 0 ? "0" : "", BigInt(Math.trunc(size)).toString(8)];
    case "e":
      return ["", upper(exponential(size, places))];
    case "f":
      return ["", fixed(size, places)];
    default:
      return ["", upper(general(size, places || 1, flags.includes("#")))];
  }
}

function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return Number(/^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?/.exec(String(value))?.[0] ?? 0);
}

/** Writes a number in exponential notation with at least two digits in the exponent. */
function exponential(size: number, places: number): string {
  return size.toExponential(Math.min(places, 100)).replace(/e([-+])(\d)$/, "e$10$2");
}

/** Writes a number with fixed decimal places, rounding exact halves to even as C does. */
function fixed(size: number, places: number): string {
  if (size >= 1e21) return BigInt(size).toString() + (places > 0 ? `.${"0".repeat(places)}` : "");
  const text = size.toFixed(Math.min(places, 100));
  const exact = size.toFixed(Math.min(places + 25, 100));
  const tail = exact.slice(places === 0 ? exact.indexOf(".") + 1 : exact.indexOf(".") + 1 + places);
  const kept = places === 0 ? exact.slice(0, exact.indexOf(".")) : exact.slice(0, exact.indexOf(".") + 1 + places);
  return /^50*$/.test(tail) && /[02468]$/.test(kept) ? kept : text;
}

function general(size: number, digits: number, keepsZeros: boolean): string {
  if (size === 0) return "0";
  const exponent = Number(/e([-+]\d+)$/.exec(size.toExponential(digits - 1))?.[1] ?? 0);
  const text =
    exponent < -4 || exponent >= digits
      ? exponential(size, digits - 1)
      : size.toFixed(Math.max(0, digits - 1 - exponent));
  if (keepsZeros || !text.includes(".")) return text;
  const [mantissa = "", power] = text.split("e");
  let end = mantissa.length;
  while (mantissa.charAt(end - 1) === "0") end -= 1;
  const kept = mantissa.slice(0, mantissa.charAt(end - 1) === "." ? end - 1 : end);
  return power === undefined ? kept : `${kept}e${power}`;
}

export function requireNonZero(value: number): number {
  if (value === 0) throw new Error("division by zero");
  return value;
}
