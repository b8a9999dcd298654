export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly marks: readonly { readonly value: number; readonly label: string }[];
}

const MARKS = 5;

/** A scale between round numbers that includes 0, with marks at round steps. */
export function scaleFor(values: readonly number[], text: (value: number) => string = shortNumber): Scale {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const step = roundStep((most - least || 1) / MARKS);
  const [first, last] = [Math.floor(least / step), Math.max(Math.ceil(most / step), Math.floor(least / step) + 1)];
  const marks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
  return { low: first * step, high: last * step, marks: marks.map((value) => ({ value, label: text(value) })) };
}

/** The next 1, 2 or 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
}

const UNITS = [
  { from: 1e9, letter: "G" },
  { from: 1e6, letter: "M" },
  { from: 1e4, divisor: 1e3, letter: "K" },
];

/** `12.5K` */
export function shortNumber(value: number): string {
  const unit = UNITS.find(({ from }) => Math.abs(value) >= from);
  const short = unit === undefined ? value : value / (unit.divisor ?? unit.from);
  return `${Number(short.toPrecision(6))}${unit?.letter ?? ""}`;
}
