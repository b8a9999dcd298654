import type { CustomCommand } from "just-bash/browser";
import { adapted, type Context, failed, type Result, type Run } from "./adapted.ts";
import { dateOf } from "./relative-date.ts";

export const DATE: CustomCommand = adapted("date", date);

const FORMATS: readonly (readonly [option: RegExp, format: string])[] = [
  [/^(?:-Is|--iso-8601=s)/, "+%FT%H:%M:%S+00:00"],
  [/^(?:-Im|--iso-8601=m)/, "+%FT%H:%M+00:00"],
  [/^(?:-Ih|--iso-8601=h)/, "+%FT%H+00:00"],
  [/^(?:-I|--iso-8601)/, "+%F"],
  [/^--rfc-3339=s/, "+%F %T+00:00"],
  [/^--rfc-3339=/, "+%F"],
];

async function date(args: string[], run: Run, context: Context): Promise<Result> {
  const file = args.findIndex((arg) => arg === "-r" || arg.startsWith("--reference="));
  if (file !== -1) {
    const words = await withTimeOf(args, file, context);
    return typeof words === "string" ? failed(`date: ${words}`, 1) : date(words, run, context);
  }
  const words = args.flatMap((arg) => {
    const [, flags, value] = /^-([uR]+)d(.*)$/s.exec(arg) ?? [];
    if (flags !== undefined) return [...Array.from(flags, (flag) => `-${flag}`), "-d", ...(value ? [value] : [])];
    return [/^--rfc-(?:email|2822)$/.test(arg) ? "-R" : arg];
  });
  const short = words.findIndex((arg) => FORMATS.some(([option]) => option.test(arg)));
  if (short !== -1) {
    const [, format = ""] = FORMATS.find(([option]) => option.test(words[short] ?? "")) ?? [];
    return date([...words.toSpliced(short, 1), format], run, context);
  }
  if (words.some((arg) => /^(?:-d|--date=)?TZ=/.test(arg)))
    return failed("date: a time zone within a date is not known here", 1);
  const { whole, nanoseconds } = withoutFraction(words);
  const given = whole.findIndex((arg) => arg.startsWith("+"));
  const marked = given === -1 ? whole : whole.with(given, withMarks(whole[given] ?? "", nanoseconds));
  const result = await run(withMoment(marked));
  return { ...result, stdout: result.stdout.replace(/\ue001(.)([^\ue001\ue002]*)\ue002/g, padded) };
}

/** Replaces `-r FILE` by the time of the file's last change; a sentence if there is no such file. */
async function withTimeOf(args: readonly string[], at: number, { fs, cwd }: Context): Promise<string[] | string> {
  const isApart = args[at] === "-r";
  const name = (isApart ? args[at + 1] : args[at]?.slice("--reference=".length)) ?? "";
  const status = await fs.stat(fs.resolvePath(cwd, name)).catch(() => null);
  if (status === null) return `${name || "''"}: No such file or directory`;
  const rest = args.toSpliced(at, isApart ? 2 : 1);
  return [...rest, "-d", `@${Math.floor(status.mtime.getTime() / 1000)}`];
}

const FRACTION = /^((?:--date=|-d)?(?:@\d+|.*:\d\d))[.,](\d+)/;

/** Removes the fraction of the seconds from the value of `-d`; null if it has none. */
function withoutFraction(args: readonly string[]): { readonly whole: string[]; readonly nanoseconds: string | null } {
  const isNow = !args.some((arg) => /^(?:-d|--date)/.test(arg));
  let nanoseconds = isNow ? `${String(Date.now() % 1_000).padStart(3, "0")}000000` : null;
  const whole = args.map((arg, at) => {
    if (!/^(?:-d|--date=)/.test(arg) && !/^(?:-d|--date)$/.test(args[at - 1] ?? "")) return arg;
    return arg.replace(FRACTION, (_, before: string, digits: string) => {
      nanoseconds = digits.padEnd(9, "0").slice(0, 9);
      return before;
    });
  });
  return { whole, nanoseconds };
}

/** Replaces a relative date of `-d` by its time in seconds, as `@SECONDS`. */
function withMoment(args: readonly string[]): string[] {
  const at = args.findIndex((arg) => /^(?:-d|--date)/.test(arg));
  const [, joined] = /^(?:-d|--date)=?([^]*)$/.exec(args[at] ?? "") ?? [];
  const text = joined === "" ? args[at + 1] : joined;
  const found = text === undefined ? null : dateOf(text, Date.now());
  if (found === null) return [...args];
  const rest = args.slice(at + (joined === "" ? 2 : 1));
  return [...args.slice(0, at), "-d", `@${Math.floor(found / 1000)}`, ...rest];
}

/** Marks fields with a flag or width before the letter, such as `%-d`, `%_d` and `%3N`, to be padded afterwards. */
function withMarks(given: string, nanoseconds: string | null): string {
  const format = given.replace(/%%|%N/g, (field) => (field === "%N" ? (nanoseconds ?? field) : field));
  return format.replace(/%(?:%|:z|q|([-_0^#]|\d(?=N))([a-zA-Z])|[-+_0^#\d]+[a-zA-Z])/g, (found, ...how: string[]) => {
    const [mark, letter] = how;
    if (found === "%:z") return "+00:00";
    if (found === "%q") return "\ue001q%m\ue002";
    if (mark === undefined && found !== "%%") throw new Error(`${found} is not known here`);
    const field = letter === "N" ? (nanoseconds ?? "%N") : `%${letter}`;
    return mark === undefined ? found : `\ue001${mark}${field}\ue002`;
  });
}

function padded(_: string, how: string, field: string): string {
  switch (how) {
    case "-":
      return field.replace(/^[0 ]+(?=.)/, "");
    case "_":
      return field.replace(/^0+(?=.)/, (zeros) => " ".repeat(zeros.length));
    case "0":
      return field.replace(/^ +/, (spaces) => "0".repeat(spaces.length));
    case "q":
      return String(Math.ceil(Number(field) / 3));
    case "^":
      return field.toUpperCase();
    case "#":
      return field === field.toUpperCase() ? field.toLowerCase() : field.toUpperCase();
    default:
      return field.slice(0, Number(how));
  }
}
