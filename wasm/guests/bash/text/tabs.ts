import { type CustomCommand, defineCommand } from "just-bash/browser";
import { textKeepingBytes } from "../../runtime/text-encoding.ts";
import { type Call, inputsOf, linesWithEnds, numberOf, Refusal, textCommand, textOf } from "./command.ts";
import { TAB, widthOf } from "./width.ts";

/** Returns the next tab stop after a column; null after the last stop. */
type NextStop = (column: number) => number | null;

/** Width of the lines of `fold` in columns if nothing else is said. */
const FOLDED = 80;

/** Commands that convert tabs to spaces and back, and one that breaks lines at a column. */
export const TAB_COMMANDS: readonly CustomCommand[] = [
  withStops(textCommand("expand", { flags: "i", values: "t", long: { initial: "i", tabs: "t" } }, expand)),
  withStops(
    textCommand("unexpand", { flags: "aF", values: "t", long: { all: "a", "first-only": "F", tabs: "t" } }, unexpand),
  ),
  withStops(
    textCommand("fold", { flags: "bs", values: "wt", long: { bytes: "b", spaces: "s", width: "w" } }, foldLines),
  ),
];

/** Stops may be options of their own: `-4`, `-4,8`. */
function withStops(command: CustomCommand): CustomCommand {
  if (!("execute" in command)) return command;
  return defineCommand(command.name, (args, context) =>
    command.execute(
      args.map((arg) => arg.replace(/^-(?=\d)/, "-t")),
      context,
    ),
  );
}

function stopsOf(list: string | undefined): NextStop {
  const stops = (list ?? String(TAB)).split(/[ ,]+/).filter((stop) => stop !== "");
  const wrong = stops.find((stop) => !/^0*[1-9]\d*$/.test(stop));
  if (wrong !== undefined || stops.length === 0) throw new Refusal(`tab size is invalid: '${list ?? ""}'`);
  const columns = stops.map(Number);
  if (columns.some((stop, at) => at > 0 && stop <= (columns[at - 1] ?? 0)))
    throw new Refusal("tab sizes must be ascending");
  const [size = TAB, ...more] = columns;
  if (more.length === 0) return (column) => column - (column % size) + size;
  return (column) => columns.find((stop) => stop > column) ?? null;
}

async function expand(call: Call): Promise<string> {
  const next = stopsOf(call.values.get("t"));
  const expanded = (line: string) => {
    if (!line.includes("\t")) return line;
    const [blanks = ""] = call.flags.has("i") ? (/^[ \t]*/.exec(line) ?? []) : [line];
    let column = 0;
    const parts = blanks.split("\t").map((part, at) => {
      const tab = at === 0 ? "" : " ".repeat((next(column) ?? column + 1) - column);
      column += tab.length + widthOf(part);
      return tab + part;
    });
    return parts.join("") + line.slice(blanks.length);
  };
  return (await inputsOf(call)).flatMap((input) => linesWithEnds(textOf(input)).map(expanded)).join("");
}

async function unexpand(call: Call): Promise<string> {
  const { flags, values } = call;
  const next = stopsOf(values.get("t"));
  const isWhole = (flags.has("a") || values.has("t")) && !flags.has("F");
  const unexpanded = (line: string) => {
    if (isWhole && !/\t| {2}/.test(line)) return line;
    let column = 0;
    return line.replace(isWhole ? /[ \t]+|[^ \t]+/g : /^[ \t]+/g, (part) => {
      const text = /^[ \t]/.test(part) ? withTabs(part, column, next) : part;
      column = columnBehind(part, column, next);
      return text;
    });
  };
  return (await inputsOf(call)).flatMap((input) => linesWithEnds(textOf(input)).map(unexpanded)).join("");
}

function columnBehind(part: string, from: number, next: NextStop): number {
  if (!part.includes("\t")) return from + widthOf(part);
  return Array.from(part).reduce((column, one) => (one === "\t" ? (next(column) ?? column + 1) : column + 1), from);
}

/** One space stays a space, though a tab would take as much room; nothing changes behind the last stop. */
function withTabs(blanks: string, from: number, next: NextStop): string {
  if (blanks === " ") return blanks;
  let column = from;
  let tabs = "";
  let kept = "";
  for (const [at, blank] of Array.from(blanks).entries()) {
    const stop = next(column);
    if (stop === null) return tabs + kept + blanks.slice(at);
    column = blank === "\t" ? stop : column + 1;
    kept = column === stop ? "" : kept + blank;
    if (column === stop) tabs += "\t";
  }
  return tabs + kept;
}

async function foldLines(call: Call): Promise<string> {
  const width = numberOf(call.values.get("w") ?? call.values.get("t"), FOLDED);
  if (width < 1) throw new Refusal(`invalid number of columns: '${width}'`);
  const isSpaced = call.flags.has("s");
  const special = call.flags.has("b") ? /(?!)/ : /[\t\b\r\ud800-\udbff]/;
  const inputs = await inputsOf(call);
  const folded = inputs
    .flatMap((input) => linesWithEnds(call.flags.has("b") ? input.bytes : textOf(input)))
    .map((line) => {
      const text = line.endsWith("\n") ? line.slice(0, -1) : line;
      const isSpecial = special.test(text);
      if (text.length <= width && !isSpecial) return line;
      const broken = isSpecial ? brokenByColumn : brokenAt;
      return broken(text, width, isSpaced).join("\n") + line.slice(text.length);
    })
    .join("");
  return call.flags.has("b") ? textKeepingBytes(folded) : folded;
}

/** Breaks a line whose characters take one column each. */
function brokenAt(text: string, width: number, isSpaced: boolean): string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + width);
    const isLast = at + piece.length === text.length;
    const line = isSpaced && !isLast ? piece.slice(0, piece.lastIndexOf(" ") + 1) || piece : piece;
    lines.push(line);
    at += line.length;
  }
  return lines;
}

/** Breaks a line with characters that move the cursor otherwise than by one column. */
function brokenByColumn(text: string, width: number, isSpaced: boolean): string[] {
  const lines: string[] = [];
  let [line, column] = ["", 0];
  for (const one of text) {
    if (cursorBehind(column, one) > width && line !== "") {
      const blank = isSpaced ? Math.max(line.lastIndexOf(" "), line.lastIndexOf("\t")) + 1 : 0;
      lines.push(blank === 0 ? line : line.slice(0, blank));
      line = blank === 0 ? "" : line.slice(blank);
      column = Array.from(line).reduce(cursorBehind, 0);
    }
    line += one;
    column = cursorBehind(column, one);
  }
  return [...lines, line];
}

function cursorBehind(column: number, one: string): number {
  if (one === "\t") return column - (column % TAB) + TAB;
  return one === "\r" ? 0 : one === "\b" ? Math.max(column - 1, 0) : column + 1;
}
