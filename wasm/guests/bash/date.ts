import type { CustomCommand } from "just-bash/browser";
import { type Call, inputsOf, linesOf as linesOfText, Refusal, textCommand, textOf } from "./text/command.ts";
import { strftime } from "./time/format.ts";
import { fractionOf, type Parsed, parseDate } from "./time/parse.ts";
import { UTC, zoneOfCommand } from "./time/zones.ts";

/** `date`, which cannot set the clock. */
export const DATE: CustomCommand = textCommand(
  "date",
  {
    flags: "uR",
    values: "drf",
    optional: "I3",
    long: {
      utc: "u",
      universal: "u",
      "rfc-email": "R",
      "rfc-2822": "R",
      "iso-8601": "I",
      "rfc-3339": "3",
      date: "d",
      reference: "r",
      file: "f",
    },
  },
  date,
);

const DEFAULT = "%a %b %e %H:%M:%S %Z %Y";
const EMAIL = "%a, %d %b %Y %T %z";
/** Formats by their precision, for the options that have one. */
const PRECISIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  I: { date: "%F", hours: "%FT%H%:z", minutes: "%FT%H:%M%:z", seconds: "%FT%T%:z", ns: "%FT%T,%N%:z" },
  3: { date: "%F", seconds: "%F %T%:z", ns: "%F %T.%N%:z" },
};

async function date(call: Call): Promise<string> {
  const { flags, values, complaints, context } = call;
  const zone = flags.has("u") ? UTC : zoneOfCommand(context);
  const nowMs = Date.now();
  const format = formatOf(call);
  const show = ({ ms, nanoseconds }: Parsed): string =>
    `${strftime(format, { ms, zone, nanoseconds }, (unknown) => unknown)}\n`;
  const given = values.get("d");
  const [reference, file] = [values.get("r"), values.get("f")];
  if (reference !== undefined) return show(await timeOfFile(reference, call));
  if (given === undefined && file === undefined) return show({ ms: nowMs, nanoseconds: fractionOf(nowMs) });
  const texts = given === undefined ? await linesOf(file ?? "", call) : [given];
  return texts
    .map((text) => {
      const found = parseDate(text, { nowMs, zone });
      if (found === null) complaints.push(`invalid date '${text}'`);
      return found === null ? "" : show(found);
    })
    .join("");
}

function formatOf({ flags, values, operands }: Call): string {
  const wrong = operands.find((operand) => !operand.startsWith("+"));
  if (wrong !== undefined) throw new Refusal(/^\d+$/.test(wrong) ? "cannot set date" : `invalid date '${wrong}'`);
  const formats = operands.map((operand) => operand.slice(1));
  if (flags.has("R")) formats.push(EMAIL);
  for (const [letter, names] of Object.entries(PRECISIONS)) {
    const given = values.get(letter);
    if (given === undefined) continue;
    const found = Object.entries(names).find(([name]) => name.startsWith(given));
    if (found === undefined) throw new Refusal(`invalid argument '${given}' for '-${letter}'`);
    formats.push(found[1]);
  }
  if (formats.length > 1) throw new Refusal("multiple output formats specified");
  return formats[0] ?? DEFAULT;
}

async function linesOf(name: string, call: Call): Promise<string[]> {
  return (await inputsOf(call, [name])).flatMap((input) => linesOfText(textOf(input)));
}

async function timeOfFile(name: string, { context: { fs, cwd } }: Call): Promise<Parsed> {
  const status = await fs.stat(fs.resolvePath(cwd, name)).catch(() => null);
  if (status === null) throw new Refusal(`${name || "''"}: No such file or directory`);
  const ms = Math.floor(status.mtime.getTime());
  return { ms, nanoseconds: fractionOf(ms) };
}
