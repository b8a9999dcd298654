import { defineCommand } from "just-bash/browser";
import { formatNumber } from "../awk/numbers.ts";
import { endIfOver } from "../stop-signal.ts";
import { type Call, Refusal, textCommand } from "./command.ts";

/** Maximum length of the output in characters, because it is held in memory. */
const MOST = 8_388_608;

interface Decimal {
  readonly digits: bigint;
  /** Number of decimal places in `digits`. */
  readonly scale: number;
  /** Number of characters before the decimal point, sign included. */
  readonly width: number;
}

const SEQUENCE = textCommand(
  "seq",
  { flags: "w", values: "sf", long: { "equal-width": "w", separator: "s", format: "f" } },
  async (call) => sequence(call),
);

/** Inserts `--` before a negative number, so that it is not parsed as an option. */
export const SEQ = defineCommand("seq", (args, context) => {
  const at = args.findIndex((arg, index) => /^-[\d.]/.test(arg) && !/^-w*[sf]$/.test(args[index - 1] ?? ""));
  return SEQUENCE.execute(at === -1 || args.includes("--") ? args : args.toSpliced(at, 0, "--"), context);
});

function sequence({ operands, values, flags }: Call): string {
  const [first, step, last] = operandsOf(operands);
  const format = values.get("f");
  if (format !== undefined && flags.has("w"))
    throw new Refusal("format string may not be specified when printing equal width strings");
  const [from, by, to] = [decimalOf(first), decimalOf(step), decimalOf(last)];
  if (by.digits === 0n) throw new Refusal(`invalid Zero increment value: '${step}'`);
  const places = Math.max(from.scale, by.scale);
  const width = flags.has("w") ? Math.max(widthWith(from, places), widthWith(to, places)) : 0;
  const scale = Math.max(places, to.scale);
  const [start = 0n, stride = 1n, end = 0n] = [from, by, to].map(
    (one) => one.digits * 10n ** BigInt(scale - one.scale),
  );
  const plain = scale === 0 ? String : (at: bigint) => textOf(at, scale, places);
  return written(
    { start, stride, end, separator: values.get("s") ?? "\n" },
    format !== undefined ? writerOf(format, scale) : width === 0 ? plain : (at) => padded(plain(at), width),
  );
}

function operandsOf(operands: readonly string[]): readonly [first: string, step: string, last: string] {
  const [a, b, c, ...more] = operands;
  if (a === undefined) throw new Refusal("missing operand");
  if (more.length > 0) throw new Refusal(`extra operand '${more[0] ?? ""}'`);
  if (b === undefined) return ["1", "1", a];
  return c === undefined ? [a, "1", b] : [a, b, c];
}

interface Steps {
  readonly start: bigint;
  readonly stride: bigint;
  readonly end: bigint;
  readonly separator: string;
}

function written({ start, stride, end, separator }: Steps, write: (at: bigint) => string): string {
  const lines: string[] = [];
  let size = 0;
  for (let at = start; stride > 0n ? at <= end : at >= end; at += stride) {
    endIfOver(lines.length);
    const line = write(at);
    size += line.length + separator.length;
    if (size > MOST) throw new Refusal("more than 8 MB of numbers are not written here");
    lines.push(line);
  }
  return lines.length === 0 ? "" : `${lines.join(separator)}\n`;
}

function decimalOf(operand: string): Decimal {
  const [text, sign = "", whole = "", fraction = "", power] =
    /^\s*\+?(-?)(\d*)(?:\.(\d*))?(?:e([-+]?\d{1,3}))?$/i.exec(operand) ?? [];
  if (text === undefined || whole + fraction === "") throw new Refusal(`invalid floating point argument: '${operand}'`);
  const exponent = Number(power ?? 0);
  return {
    digits: BigInt(`${sign}${whole}${fraction}`) * 10n ** BigInt(Math.max(exponent - fraction.length, 0)),
    scale: Math.max(fraction.length - exponent, 0),
    width: sign.length + Math.max(whole.length + exponent, 1),
  };
}

function widthWith({ width }: Decimal, places: number): number {
  return width + (places === 0 ? 0 : places + 1);
}

/** Formats a number with `places` decimal places; `seq 1 3.5` prints whole numbers, as only its end has decimals. */
function textOf(digits: bigint, scale: number, places: number): string {
  const size = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  const whole = size.slice(0, size.length - scale);
  const fraction = size.slice(size.length - scale).slice(0, places);
  return (digits < 0n ? "-" : "") + whole + (places === 0 ? "" : `.${fraction}`);
}

function padded(text: string, width: number): string {
  return text.startsWith("-") ? `-${text.slice(1).padStart(width - 1, "0")}` : text.padStart(width, "0");
}

/** Returns the formatter for `-f`, which writes numbers as printf does. */
function writerOf(given: string, scale: number): (at: bigint) => string {
  const format = /^((?:[^%]|%%)*)%([-+ #0]*)([1-9]\d*)?(?:\.(\d+))?([aefgEG])((?:[^%]|%%)*)$/.exec(given);
  if (format === null) throw new Refusal(`format '${given}' is not known here`);
  const [, before = "", flags = "", width = "", precision = "", letter = "", behind = ""] = format;
  const [head, tail] = [before.replaceAll("%%", "%"), behind.replaceAll("%%", "%")];
  return (at) => head + formatNumber({ letter, flags, width, precision }, textOf(at, scale, scale)) + tail;
}
