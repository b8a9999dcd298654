import { closingLine, fenceAfter, LONGEST_MARKER } from "./fences.ts";
import { atMargin } from "./margin.ts";
import { withPlainTables } from "./plain-tables.ts";
import { isDelimiter, tableHead } from "./tables.ts";

export interface TailLimits {
  readonly lines: number;
  readonly chars: number;
  /** False if the platform shows Markdown tables as their source. */
  readonly showsTables: boolean;
}

/** Maximum length of a table's head that is repeated, in characters. */
const HEAD_CHARS = 400;

/**
 * The last lines of a text that is still being written, as complete Markdown: an open fence is closed (and reopened if
 * the cut falls inside one), a table cut in two has its head repeated, and no construct is left half-written.
 */
export function completedTail(text: string, limit: TailLimits): string {
  const written = withoutPartialRow(text);
  const shown = (limit.showsTables ? written : withPlainTables(written)).trimEnd();
  if (shown === "") return "";
  const lines = shown.split("\n");
  const above = (from: number) => openedAbove(lines.slice(0, from).join("\n"), lines[from] ?? "");
  let from = firstLineWithin(lines, limit);
  const { length } = above(from);
  if (length > 0) from = firstLineWithin(lines, { ...limit, chars: limit.chars - length });
  if (from === lines.length) return completed(`…${(lines.at(-1) ?? "").slice(-limit.chars).toWellFormed()}`, "");
  const opened = above(from);
  const tail = lines.slice(from).join("\n");
  return completed(opened === "" ? atMargin(lines.slice(0, from).join("\n"), tail) : tail, opened);
}

/** Index of the first line that fits within the limit. */
function firstLineWithin(lines: readonly string[], limit: TailLimits): number {
  let from = lines.length;
  let chars = 0;
  while (from > 0 && lines.length - from < limit.lines) {
    chars += (lines[from - 1]?.length ?? 0) + 1;
    if (chars > limit.chars) break;
    from -= 1;
  }
  // The two lines of a table's head stay together.
  return from > 0 && isDelimiter(lines[from] ?? "") ? from + 1 : from;
}

/** Lines to repeat above the rest of a text, which begins with `next`, if it is cut inside a fence or a table. */
export function openedAbove(before: string, next: string): string {
  const fence = fenceAfter(null, before, LONGEST_MARKER);
  return fence === null ? tableHead(before, next, HEAD_CHARS) : `${fence.marker}${fence.language}\n`;
}

/** Drops a table row that is still being written. */
function withoutPartialRow(text: string): string {
  const before = text.slice(0, Math.max(0, text.lastIndexOf("\n")));
  const isRow = tableHead(before, "|", Infinity) !== "" && fenceAfter(null, before, LONGEST_MARKER) === null;
  return isRow ? before : text;
}

function completed(tail: string, reopening: string): string {
  const lines = (reopening + tail).split("\n");
  // The newest line may be a fence, a heading or a list item that has only just begun.
  const openBefore = fenceAfter(null, lines.slice(0, -1).join("\n"), LONGEST_MARKER);
  const last = lines.at(-1) ?? "";
  if (openBefore !== null) {
    const closing = fenceAfter(openBefore, last, LONGEST_MARKER) === null;
    if (closing) return lines.join("\n");
    const partial = last.trim() !== "" && openBefore.marker.startsWith(last.trim());
    return [...lines.slice(0, partial ? -1 : undefined), closingLine(openBefore)].join("\n");
  }
  const shown = withoutUnclearLines(lines);
  if (shown.length < lines.length) return shown.join("\n").trimEnd();
  const paragraphFrom = lines.findLastIndex((line) => line.trim() === "") + 1;
  const paragraph = closeInline(lines.slice(paragraphFrom).join("\n"));
  // Without its unfinished mark, a line like `- **` may be only a bullet.
  return withoutUnclearLines([...lines.slice(0, paragraphFrom), ...paragraph.split("\n")])
    .join("\n")
    .trimEnd();
}

function withoutUnclearLines(lines: readonly string[]): readonly string[] {
  const begun = unclearLineCount(lines);
  return begun === 0 ? lines : lines.slice(0, -begun);
}

/** Number of last lines to leave out, because it is not yet clear what kind of block they begin. */
function unclearLineCount(lines: readonly string[]): number {
  const [before = "", above = "", last = ""] = ["", "", ...lines].slice(-3).map((line) => line.trim());
  const isRow = (line: string) => line.startsWith("|");
  if (isRow(last) && !isRow(above)) return 1;
  if (isRow(last) && !isRow(before) && JUST_BEGUN.test(last)) return 2;
  return lines.at(-1) !== "" && (last === "" || JUST_BEGUN.test(last)) ? 1 : 0;
}

/** A line that holds only the beginning of a block: fence, heading, list item, quote, rule or table row. */
const JUST_BEGUN = /^(?:`{3,}[^`]*|`{1,2}|~{1,2}|~{3}.*|#{1,6}|[-*+>]+|\d+[.)]?|[|:\-\s]+|=+)$/u;

/** Closes emphasis and code spans that are open at the end, and reduces an unfinished link to its label. */
function closeInline(text: string): string {
  const begun = withoutUnfinished(text).trimEnd();
  const open = openMarkers(begun);
  if (open.link !== null) return closeInline(begun.slice(0, open.link.at) + open.link.label);
  // Markers close innermost first. White space before a closing marker would prevent it from closing.
  return begun + open.markers.toReversed().join("");
}

/** Characters at the end of a text that may be the beginning of a longer mark or of an escape. */
const MARKS = new Set(["*", "_", "~", "`", "[", "\\"]);

function withoutUnfinished(text: string): string {
  let end = text.length;
  while (MARKS.has(text.charAt(end - 1)) || text.slice(end - 1, end + 1) === "![") end -= 1;
  return text.slice(0, end);
}

interface OpenMarkers {
  readonly markers: readonly string[];
  /** An unfinished link, with its readable text. */
  readonly link: { readonly at: number; readonly label: string } | null;
}

const TOKEN = /\\.|(`+)|(\*+|_+|~~+)|(!?\[[^[\]\n]*\]\([^()\s]*\))|(!?\[)([^[\]\n]*)(?:\](?:\([^()\s]*)?)?$/gu;
/** Longer runs, such as blanks to be filled in, are not emphasis. */
const LONGEST_RUN = 3;

function openMarkers(text: string): OpenMarkers {
  let markers: readonly string[] = [];
  let code: string | null = null;
  for (const match of text.matchAll(TOKEN)) {
    const [, backticks, run, link, bracket, label] = match;
    if (backticks !== undefined) {
      if (code === null) code = backticks;
      else if (code === backticks) code = null;
      continue;
    }
    if (code !== null || link !== undefined) continue;
    if (bracket !== undefined) return { markers, link: { at: match.index, label: label ?? "" } };
    if (run === undefined || run.length > LONGEST_RUN) continue;
    markers = afterRun(markers, run, {
      before: text.charAt(match.index - 1),
      after: text.charAt(match.index + run.length),
    });
  }
  return { markers: code === null ? markers : [...markers, code], link: null };
}

/** The markers open after a run of marks, which first closes, then opens: `***` may do so for bold, italics or both. */
function afterRun(open: readonly string[], run: string, beside: { before: string; after: string }): readonly string[] {
  const markers = [...open];
  let left = run.length;
  if (!isBlank(beside.before)) {
    const isClosed = (marker = "") => marker.startsWith(run.charAt(0)) && marker.length <= left;
    while (isClosed(markers.at(-1))) left -= markers.pop()?.length ?? 0;
  }
  if (left === 0 || isBlank(beside.after) || /[\p{L}\p{N}]/u.test(beside.before)) return markers;
  const mark = run.slice(0, left);
  return [...markers, ...(left === LONGEST_RUN ? [mark.slice(1), mark.slice(2)] : [mark])];
}

function isBlank(character: string): boolean {
  return character.trim() === "";
}
