import { describe } from "./operators.ts";
import type { ValueFunction } from "./texts.ts";
import { isNumber, JqError, type Json } from "./values.ts";

const { floor, ceil, trunc, sqrt, cbrt, exp, expm1, log, log2, log10, log1p } = Math;
const { sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh } = Math;
const ROUNDING = { floor, ceil, trunc, sqrt, cbrt };
const POWERS = { exp, expm1, log, log2, log10, log1p };
const ANGLES = { sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh };

const ONE: Readonly<Record<string, (x: number) => number>> = {
  ...ROUNDING,
  ...POWERS,
  ...ANGLES,
  fabs: Math.abs,
  round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  rint: toEven,
  nearbyint: toEven,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  significand: (x) => (x === 0 || !Number.isFinite(x) ? x : x / 2 ** exponentOf(x)),
  logb: (x) => (x === 0 ? -Infinity : Number.isFinite(x) ? exponentOf(x) : x * x),
};

const TWO: Readonly<Record<string, (x: number, y: number) => number>> = {
  pow: (x, y) => x ** y,
  atan2: Math.atan2,
  fmod: (x, y) => x % y,
  fmin: Math.min,
  fmax: Math.max,
  hypot: Math.hypot,
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
  ldexp: (x, y) => x * 2 ** y,
  scalb: (x, y) => x * 2 ** y,
  scalbln: (x, y) => x * 2 ** y,
  fdim: (x, y) => Math.max(x - y, 0),
  drem: (x, y) => x - y * toEven(x / y),
};

function toEven(x: number): number {
  const down = Math.floor(x);
  if (x - down !== 0.5) return Math.round(x);
  return down % 2 === 0 ? down : down + 1;
}

function exponentOf(x: number): number {
  let exponent = Math.floor(Math.log2(Math.abs(x)));
  if (2 ** exponent > Math.abs(x)) exponent--;
  return exponent;
}

export function numeric(value: Json = null): number {
  if (!isNumber(value)) throw new JqError(`${describe(value)} number required`);
  return Number(value);
}

const is =
  (test: (x: number) => boolean): ValueFunction =>
  (input) =>
    test(numeric(input));

export const NUMBERS: Readonly<Record<string, ValueFunction>> = {
  ...Object.fromEntries(
    Object.entries(ONE).map(([name, apply]): [string, ValueFunction] => [
      `${name}/0`,
      (input) => apply(numeric(input)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(TWO).map(([name, apply]): [string, ValueFunction] => [
      `${name}/2`,
      (_, x, y) => apply(numeric(x), numeric(y)),
    ]),
  ),
  "frexp/0": (input) => {
    const x = numeric(input);
    if (x === 0 || !Number.isFinite(x)) return [x, 0];
    const exponent = exponentOf(x) + 1;
    return [x / 2 ** exponent, exponent];
  },
  "modf/0": (input) => {
    const x = numeric(input);
    return Number.isFinite(x) ? [x % 1, Math.trunc(x)] : [Number.isNaN(x) ? x : 0, x];
  },
  "infinite/0": () => Infinity,
  "nan/0": () => Number.NaN,
  "isinfinite/0": is((x) => Math.abs(x) === Infinity),
  "isnan/0": is(Number.isNaN),
  "isnormal/0": is((x) => Number.isFinite(x) && Math.abs(x) >= 2 ** -1022),
  "abs/0": (input) => {
    if (!isNumber(input)) throw new JqError(`${describe(input)} has no absolute value`);
    return input < 0 ? -input : input;
  },
};
