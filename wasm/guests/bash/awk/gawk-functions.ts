import { type Arrays, arrayNamed, type Expression, replaceElements } from "./arrays.ts";
import { numberText } from "./numbers.ts";
import { comparisonOperands } from "./values.ts";

interface Run extends Arrays {
  readonly exec?: (command: string) => Promise<{ readonly stdout: string; readonly stderr: string }>;
}

type Call = (
  args: readonly Expression[],
  run: Run,
  evaluator: { evalExpr(expression: Expression): Promise<unknown> },
) => unknown;

/** Functions of gawk for times, which are in UTC, and for sorting arrays. */
export const GAWK_FUNCTIONS: readonly (readonly [name: string, call: Call])[] = [
  ["systime", () => seconds()],
  ["mktime", async ([text], _, awk) => (text === undefined ? -1 : timeOf(numberText(await awk.evalExpr(text))))],
  ["strftime", strftime],
  ["asort", (args, run) => sortInto(args, run, Object.values)],
  ["asorti", (args, run) => sortInto(args, run, Object.keys)],
];

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Seconds of `YYYY MM DD HH MM SS`; -1 for other texts. */
function timeOf(text: string): number {
  const [year = 0, month = 0, day, hour, minute, second] = text.match(/-?\d+/g)?.map(Number) ?? [];
  const time = Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
  return Number.isNaN(time) ? -1 : time;
}

async function strftime(...[args, run, evaluator]: Parameters<Call>): Promise<string> {
  const [format, time] = await Promise.all(args.slice(0, 2).map((arg) => evaluator.evalExpr(arg)));
  const at = time === undefined ? seconds() : Math.trunc(Number(time) || 0);
  const shown = format === undefined ? "%a %b %e %H:%M:%S UTC %Y" : numberText(format);
  const ended = await run.exec?.(`date -u -d @${at} '+${shown.replaceAll("'", "'\\''")}'`);
  if (ended === undefined || ended.stderr !== "") throw new Error(`strftime: ${ended?.stderr ?? ""}`);
  return ended.stdout.slice(0, -1);
}

/** Sorts the values or the keys of an array into the second one, or into itself. */
function sortInto(
  [source, target = source, ...how]: readonly Expression[],
  run: Run,
  itemsOf: (array: Record<string, unknown>) => unknown[],
): number {
  if (source?.name === undefined || target?.name === undefined || how.length > 0)
    throw new Error("asort and asorti are known with one or two arrays here");
  const items = itemsOf(arrayNamed(run, source) ?? {}).sort((left, right) => {
    const isText = [left, right].map((item) => Number(typeof item === "string"));
    if (isText[0] !== isText[1]) return (isText[0] ?? 0) - (isText[1] ?? 0);
    const [a, b] = comparisonOperands(left, right);
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a) < String(b) ? -1 : 1;
  });
  replaceElements(
    run,
    target.name,
    Object.assign(Object.create(null), Object.fromEntries(items.map((item, at) => [at + 1, item]))),
  );
  return items.length;
}
