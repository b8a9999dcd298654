import { type Decimal, rescaled } from "./decimal.ts";

/** Additional digits of precision, so that the last digit asked for is right. */
const GUARD = 12;

/** Functions that `bc -l` adds: sine, cosine, arctangent, logarithm and exponential. */
export const FUNCTIONS: ReadonlyMap<string, (value: Decimal, scale: number) => Decimal> = new Map([
  ["s", (value, scale) => sine(value, scale, false)],
  ["c", (value, scale) => sine(value, scale, true)],
  ["a", (value, scale) => withGuard(value, { scale }, (x, one) => arctangent(x, one))],
  ["l", (value, scale) => withGuard(value, { scale }, (x, one) => logarithm(x, one))],
  ["e", exponential],
]);

/** Calculates in fixed-point arithmetic with guard digits; `one` is the representation of 1. */
function withGuard(
  value: Decimal,
  { scale, guard = GUARD }: { readonly scale: number; readonly guard?: number },
  calculate: (x: bigint, one: bigint) => bigint,
): Decimal {
  const digits = scale + guard;
  const units = calculate(rescaled(value, digits).units, 10n ** BigInt(digits));
  return rescaled({ units, scale: digits }, scale);
}

/** Sums a series, each term computed from the one before, until the terms become zero. */
function series(first: bigint, next: (term: bigint, index: bigint) => bigint): bigint {
  let sum = 0n;
  let index = 1n;
  for (let term = first; term !== 0n; index++) {
    sum += term;
    term = next(term, index);
  }
  return sum;
}

function exponential(value: Decimal, scale: number): Decimal {
  const exponent = Number(value.units) / 10 ** value.scale;
  const guard = 2 * GUARD + Math.max(0, Math.ceil(exponent));
  const calculate = (x: bigint, one: bigint) => {
    const halvings = BigInt(Math.max(0, bitsOf(x) - bitsOf(one) + 8));
    const small = x / 2n ** halvings;
    let result = series(one, (term, index) => (term * small) / (one * index));
    for (let left = halvings; left > 0n; left--) result = (result * result) / one;
    return result;
  };
  return withGuard(value, { scale, guard }, calculate);
}

function bitsOf(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length;
}

/** Twice the inverse hyperbolic tangent of (x - 1) / (x + 1), of roots that are near to 1. */
function logarithm(x: bigint, one: bigint): bigint {
  if (x <= 0n) return -(10n ** BigInt(one.toString().length));
  let near = x;
  let factor = 2n;
  while (near > (one * 11n) / 10n || near < (one * 9n) / 10n) {
    near = root(near * one);
    factor *= 2n;
  }
  const ratio = ((near - one) * one) / (near + one);
  return factor * oddPowers(ratio, one, 1n);
}

function arctangent(x: bigint, one: bigint): bigint {
  if (x < 0n) return -arctangent(-x, one);
  let small = x;
  let factor = 1n;
  while (small > one / 10n) {
    small = (small * one) / (one + root(one * one + small * small));
    factor *= 2n;
  }
  return factor * oddPowers(small, one, -1n);
}

/** x ± x³/3 + x⁵/5 … */
function oddPowers(x: bigint, one: bigint, sign: bigint): bigint {
  let power = x;
  let sum = 0n;
  for (let odd = 1n; power !== 0n; odd += 2n) {
    sum += power / odd;
    power = (sign * (((power * x) / one) * x)) / one;
  }
  return sum;
}

function sine(value: Decimal, scale: number, isCosine: boolean): Decimal {
  const guard = GUARD + String(value.units).length;
  return withGuard(value, { scale, guard }, (given, one) => {
    const x = given % (8n * arctangent(one, one));
    return series(isCosine ? one : x, (term, index) => {
      const at = 2n * index + (isCosine ? 0n : 1n);
      return -(((term * x) / one) * x) / (one * at * (at - 1n));
    });
  });
}

function root(value: bigint): bigint {
  if (value < 2n) return value;
  let found = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (let next = (found + value / found) / 2n; next < found; next = (found + value / found) / 2n) found = next;
  return found;
}
