import { fenceAfter, LONGEST_MARKER } from "./fences.ts";
import { withPlainTables } from "./plain-tables.ts";
import { isDelimiter, tableHead } from "./tables.ts";

export interface TailLimit {
  readonly lines: number;
  readonly chars: number;
  /** False where Markdown's tables are shown as they are written. */
  readonly showsTables: boolean;
}

/** A longer head of a table is not repeated. Characters. */
const HEAD_CHARS = 400;

/**
 * The last lines of a text that is still being written, as Markdown that stands by itself: a fence that
 * is open is closed (and opened again where the cut falls inside one), a table that is cut has its head again, and no
 * construct is shown half.
 */
export function tailOf(text: string, limit: TailLimit): string {
  const written = withoutHalfRow(text);
  const shown = (limit.showsTables ? written : withPlainTables(written)).trimEnd();
  if (shown === "") return "";
  const lines = shown.split("\n");
  const above = (from: number) => openedAbove(lines.slice(0, from).join("\n"), lines[from] ?? "");
  let from = beginning(lines, limit);
  const { length } = above(from);
  if (length > 0) from = beginning(lines, { ...limit, chars: limit.chars - length });
  if (from === lines.length) return completed(`…${(lines.at(-1) ?? "").slice(-limit.chars).toWellFormed()}`, "");
  return completed(lines.slice(from).join("\n"), above(from));
}

/** The first of the lines that have room. */
function beginning(lines: readonly string[], limit: TailLimit): number {
  let from = lines.length;
  let chars = 0;
  while (from > 0 && lines.length - from < limit.lines) {
    chars += (lines[from - 1]?.length ?? 0) + 1;
    if (chars > limit.chars) break;
    from -= 1;
  }
  // The two lines of a table's head stand together.
  return from > 0 && isDelimiter(lines[from] ?? "") ? from + 1 : from;
}

/** What has to stand above the rest of a text, whose first line is `next`, to be read like the whole: an open fence, or a table's head. */
export function openedAbove(before: string, next: string): string {
  const fence = fenceAfter(null, before, LONGEST_MARKER);
  return fence === null ? tableHead(before, next, HEAD_CHARS) : `${fence.marker}${fence.language}\n`;
}

/** A table's row is shown once its line has ended. */
function withoutHalfRow(text: string): string {
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
    return [...lines.slice(0, partial ? -1 : undefined), openBefore.marker].join("\n");
  }
  const begun = justBegun(lines);
  if (begun > 0) return lines.slice(0, -begun).join("\n").trimEnd();
  const paragraphFrom = lines.findLastIndex((line) => line.trim() === "") + 1;
  const paragraph = lines.slice(paragraphFrom).join("\n");
  return [...lines.slice(0, paragraphFrom), closeInline(paragraph)].join("\n");
}

/** How many of the last lines are left out until more of them is there: what they are cannot be told by now. */
function justBegun(lines: readonly string[]): number {
  const [before = "", above = "", last = ""] = ["", "", ...lines].slice(-3).map((line) => line.trim());
  const isRow = (line: string) => line.startsWith("|");
  if (isRow(last) && !isRow(above)) return 1;
  if (isRow(last) && !isRow(before) && JUST_BEGUN.test(last)) return 2;
  return lines.at(-1) !== "" && (last === "" || JUST_BEGUN.test(last)) ? 1 : 0;
}

/** A line of nothing but the beginning of a block: fence, heading, list item, quote, rule, table row. */
const JUST_BEGUN = /^(?:`{3,}[^`]*|`{1,2}|~{1,2}|~{3}.*|#{1,6}|[-*+>]+|\d+[.)]?|[|:\-\s]+|=+)$/u;

/** Emphasis, code spans and links that begin in the text and do not end there. */
function closeInline(text: string): string {
  const begun = text.replace(/(?:(?<![*_~])[*_~]+|(?<!`)`+|!?\[)$/u, "").trimEnd();
  const open = openMarkers(begun);
  if (open.link !== null) return closeInline(begun.slice(0, open.link.at) + open.link.label);
  // Markers close innermost first; white space before a closing marker would keep it from closing.
  return begun + open.markers.toReversed().join("");
}

interface OpenMarkers {
  readonly markers: readonly string[];
  /** A link that is still being written, as the text that can be read of it. */
  readonly link: { readonly at: number; readonly label: string } | null;
}

const TOKEN = /\\.|(`+)|(\*\*|__|~~|\*|_)|(!?\[[^[\]\n]*\]\([^()\s]*\))|(!?\[)([^[\]\n]*)(?:\](?:\([^()\s]*)?)?$/gu;

function openMarkers(text: string): OpenMarkers {
  const markers: string[] = [];
  let code: string | null = null;
  for (const match of text.matchAll(TOKEN)) {
    const [, backticks, emphasis, link, bracket, label] = match;
    if (backticks !== undefined) {
      if (code === null) code = backticks;
      else if (code === backticks) code = null;
      continue;
    }
    if (code !== null || link !== undefined) continue;
    if (bracket !== undefined) return { markers, link: { at: match.index, label: label ?? "" } };
    if (emphasis === undefined) continue;
    if (markers.at(-1) === emphasis) markers.pop();
    else if (beginsEmphasis(text, match.index, emphasis)) markers.push(emphasis);
  }
  return { markers: code === null ? markers : [...markers, code], link: null };
}

/** A marker opens before a word and not inside one: `2 * 3` and `snake_case` are no emphasis. */
function beginsEmphasis(text: string, at: number, marker: string): boolean {
  const before = text.charAt(at - 1);
  const after = text.charAt(at + marker.length);
  return after !== "" && !/\s/u.test(after) && !/[\p{L}\p{N}]/u.test(before);
}
