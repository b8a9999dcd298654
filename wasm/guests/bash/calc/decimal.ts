/** A decimal number, counted in units of 10^-scale. Results are truncated, not rounded, as in bc. */
export interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

export const whole = (value: number | bigint): Decimal => ({ units: BigInt(value), scale: 0 });

const power10 = (exponent: number) => 10n ** BigInt(exponent);

export function rescaled({ units, scale }: Decimal, to: number): Decimal {
  return { units: to >= scale ? units * power10(to - scale) : units / power10(scale - to), scale: to };
}

export function add(a: Decimal, b: Decimal): Decimal {
  const scale = Math.max(a.scale, b.scale);
  return { units: rescaled(a, scale).units + rescaled(b, scale).units, scale };
}

export function negated({ units, scale }: Decimal): Decimal {
  return { units: -units, scale };
}

/** Returns -1, 0 or 1. */
export function compare(a: Decimal, b: Decimal): number {
  const { units } = add(a, negated(b));
  return units < 0n ? -1 : units > 0n ? 1 : 0;
}

export function multiply(a: Decimal, b: Decimal, scale: number): Decimal {
  const exact = { units: a.units * b.units, scale: a.scale + b.scale };
  return rescaled(exact, Math.min(exact.scale, Math.max(scale, a.scale, b.scale)));
}

/** Divides; the divisor must not be zero. */
export function divide(a: Decimal, b: Decimal, scale: number): Decimal {
  const shift = scale + b.scale - a.scale;
  const units = shift >= 0 ? (a.units * power10(shift)) / b.units : a.units / (b.units * power10(-shift));
  return { units, scale };
}

/** Remainder of a division whose quotient has `scale` decimal places. */
export function remainder(a: Decimal, b: Decimal, scale: number): Decimal {
  const quotient = divide(a, b, scale);
  return add(a, negated({ units: quotient.units * b.units, scale: quotient.scale + b.scale }));
}

/** Raises to a power; the fraction of the exponent is ignored. */
export function raise(base: Decimal, exponent: Decimal, scale: number): Decimal {
  const times = Number(rescaled(exponent, 0).units);
  const exact = { units: base.units ** BigInt(Math.abs(times)), scale: base.scale * Math.abs(times) };
  if (times < 0) return divide(whole(1), exact, scale);
  return rescaled(exact, Math.min(exact.scale, Math.max(scale, base.scale)));
}

/** Square root of a number that must not be negative. */
export function squareRoot(value: Decimal, scale: number): Decimal {
  const to = Math.max(scale, value.scale);
  const { units } = rescaled(value, 2 * to);
  if (units === 0n) return { units, scale: to };
  let root = 1n << BigInt(Math.ceil(units.toString(2).length / 2));
  for (let next = (root + units / root) / 2n; next < root; next = (root + units / root) / 2n) root = next;
  return { units: root, scale: to };
}

const DIGITS = "0123456789ABCDEF";

/** Parses a numeral. Digits beyond the base count as the highest digit, except in a numeral of one digit. */
export function parsed(numeral: string, base: number): Decimal {
  const [before = "", after = ""] = numeral.split(".");
  const digit = (text: string) => Math.min(DIGITS.indexOf(text), numeral.length === 1 ? 15 : base - 1);
  const read = (digits: string) =>
    Array.from(digits).reduce((sum, text) => sum * BigInt(base) + BigInt(digit(text)), 0n);
  const fraction = { units: read(after), scale: 0 };
  return add(whole(read(before)), divide(fraction, whole(BigInt(base) ** BigInt(after.length)), after.length));
}

/** Writes a number in a base; above base 16, each digit is a decimal number after a space. */
export function written({ units, scale }: Decimal, base: number): string {
  if (units === 0n) return "0";
  const size = units < 0n ? -units : units;
  const one = power10(scale);
  const digits = base === 10 ? [[(size / one).toString()], fractionOf(size, scale)] : inBase(size, scale, base);
  const [before, after] = digits.map((part) => part?.join("") ?? "");
  const shown = size < one ? "" : before;
  return `${units < 0n ? "-" : ""}${shown}${after === "" ? "" : `.${after}`}`;
}

function fractionOf(size: bigint, scale: number): string[] {
  return scale === 0 ? [] : [size.toString().padStart(scale, "0").slice(-scale)];
}

function inBase(size: bigint, scale: number, base: number): string[][] {
  const width = String(base - 1).length;
  const digit = (value: bigint) =>
    base <= 16 ? DIGITS.charAt(Number(value)) : ` ${value.toString().padStart(width, "0")}`;
  const one = power10(scale);
  const before: string[] = [];
  for (let rest = size / one; rest > 0n; rest /= BigInt(base)) before.unshift(digit(rest % BigInt(base)));
  const after: string[] = [];
  let rest = size % one;
  for (let unit = 1n; unit.toString().length <= scale; unit *= BigInt(base)) {
    rest *= BigInt(base);
    after.push(digit(rest / one));
    rest %= one;
  }
  return [before, after];
}
