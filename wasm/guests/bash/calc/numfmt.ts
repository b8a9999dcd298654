import type { CustomCommand } from "just-bash/browser";
import { type Call, inputsOf, linesOf, numberOf, Refusal, textCommand, textOf } from "../text/command.ts";

const UNITS = "KMGTPE";
const MISTAKEN = 2;

/** `numfmt`, which converts numbers from and to units such as K and Mi. */
export const NUMFMT: CustomCommand = textCommand(
  "numfmt",
  {
    flags: "",
    values: "dFTfsprhUu",
    long: {
      delimiter: "d",
      from: "F",
      to: "T",
      field: "f",
      suffix: "s",
      padding: "p",
      round: "r",
      "from-unit": "u",
      "to-unit": "U",
    },
  },
  async (call) => {
    const { values, operands } = call;
    const fields = fieldsOf(values.get("f") ?? "1");
    if (operands.length > 0) return operands.map((operand) => `${lineOf(operand, fields, call)}\n`).join("");
    const lines = (await inputsOf(call, ["-"])).flatMap((input) => linesOf(textOf(input)));
    return lines.map((line) => `${lineOf(line, fields, call)}\n`).join("");
  },
);

/** Whether a field is converted, by its number. */
function fieldsOf(list: string): (field: number) => boolean {
  if (list === "-") return () => true;
  const ranges = list.split(",").map((item) => {
    const [, from = "", dash = "", to = ""] = /^(\d*)(?:(-)(\d*))?$/.exec(item) ?? [];
    if (from === "" && to === "") throw new Refusal(`invalid field value '${item}'`);
    return [Number(from || 1), dash === "" ? Number(from) : Number(to || Number.POSITIVE_INFINITY)] as const;
  });
  return (field) => ranges.some(([from, to]) => field >= from && field <= to);
}

/** Fields are separated by a delimiter, or by blanks, of which one separates and the others belong to a field's width. */
function lineOf(line: string, isConverted: (field: number) => boolean, call: Call): string {
  const delimiter = call.values.get("d");
  if (delimiter !== undefined)
    return line
      .split(delimiter)
      .map((part, at) => (isConverted(at + 1) ? converted(part, call) : part))
      .join(delimiter);
  const parts = line.split(/(?<=[^ \t])(?=[ \t])/);
  return parts
    .map((part, at) => {
      const field = at === 0 ? part : part.slice(1);
      const text = field.trimStart();
      const isPadded = at > 0 || text.length < field.length;
      const shown = isConverted(at + 1) ? converted(text, call).padStart(isPadded ? field.length : 0) : field;
      return at === 0 ? shown : ` ${shown}`;
    })
    .join("");
}

function converted(text: string, { values }: Call): string {
  const suffix = values.get("s") ?? "";
  const plain = suffix !== "" && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  const value =
    (parsed(plain, values.get("F") ?? "none") * numberOf(values.get("u"), 1)) / numberOf(values.get("U"), 1);
  const decimals = /\.(\d+)$/.exec(plain)?.[1]?.length ?? 0;
  const shown = formatted(value, { to: values.get("T") ?? "none", round: values.get("r") ?? "from-zero", decimals });
  const [, minus = "", digits = "0"] = /^(-?)(\d+)$/.exec(values.get("p") ?? "0") ?? [];
  return minus === "-" ? (shown + suffix).padEnd(Number(digits)) : (shown + suffix).padStart(Number(digits));
}

function parsed(text: string, from: string): number {
  const [, number, unit = "", binary = ""] = /^(-?\d+(?:\.\d+)?)([KMGTPE]?)(i?)$/.exec(text) ?? [];
  if (number === undefined) throw new Refusal(`invalid number: '${text}'`, MISTAKEN);
  if (unit === "" && binary === "") return Number(number);
  if (from === "none") throw new Refusal(`rejecting suffix in input: '${text}' (consider using --from)`, MISTAKEN);
  const isBinary = from === "iec" || from === "iec-i" || (from === "auto" && binary !== "");
  const needed = from === "iec-i" ? "i" : from === "auto" ? binary : "";
  if (binary !== needed || unit === "" || !/^(?:auto|si|iec|iec-i)$/.test(from))
    throw new Refusal(`invalid suffix in input: '${text}'`, MISTAKEN);
  return Number(number) * (isBinary ? 1024 : 1000) ** (UNITS.indexOf(unit) + 1);
}

interface Shape {
  readonly to: string;
  readonly round: string;
  /** Decimal places of a number without a unit. */
  readonly decimals: number;
}

const ROUNDING: Readonly<Record<string, (value: number) => number>> = {
  up: Math.ceil,
  down: Math.floor,
  "from-zero": (value) => Math.sign(value) * Math.ceil(Math.abs(value)),
  "towards-zero": Math.trunc,
  nearest: (value) => Math.sign(value) * Math.round(Math.abs(value)),
};

function formatted(value: number, { to, round, decimals }: Shape): string {
  const rounded = ROUNDING[round];
  if (rounded === undefined) throw new Refusal(`invalid argument '${round}' for '--round'`);
  const precise = (number: number, places: number) => rounded(number * 10 ** places) / 10 ** places;
  if (to === "none") return precise(value, decimals).toFixed(decimals);
  if (!/^(?:si|iec|iec-i)$/.test(to)) throw new Refusal(`invalid argument '${to}' for '--to'`);
  const base = to === "si" ? 1000 : 1024;
  let [rest, unit] = [value, 0];
  for (; Math.abs(rest) >= base; unit++) rest /= base;
  let shown = Math.abs(rest) < 10 && unit > 0 ? precise(rest, 1) : rounded(rest);
  if (Math.abs(shown) >= base) [shown, unit] = [shown / base, unit + 1];
  if (unit === 0) return String(shown);
  const letter = UNITS[unit - 1];
  if (letter === undefined) throw new Refusal(`value too large to be printed: '${value}'`, MISTAKEN);
  return (Math.abs(shown) < 10 ? shown.toFixed(1) : String(shown)) + letter + (to === "iec-i" ? "i" : "");
}
