import { endOfBlocks } from "./blocks.ts";
import { closes, closingLine, codeAtMargin, type Fence, fenceAfter, fenceAfterLine } from "./fences.ts";
import { atMargin } from "./margin.ts";
import { isTableHead, tableHead } from "./tables.ts";

/** Minimum share of a piece that must be full for a border to be used; a better border may leave more room unused. */
const PARAGRAPH_FILL = 0.4;
const LINE_FILL = 0.25;

interface Cut {
  /** Number of characters that the piece takes. */
  readonly end: number;
  /** Where the next piece begins; the white space at the border is dropped. */
  readonly next: number;
}

/**
 * Splits Markdown into pieces of at most `maxChars` (at least 20) UTF-16 units and `maxBlocks` blocks: headings, rules,
 * tables, and texts between these. A code fence open at a cut is closed and reopened, with its language, in the next
 * piece; a table cut between rows has its head repeated; text cut out of a list starts at the margin. Cuts fall between
 * paragraphs, else lines, else words, and not below a heading. Only white space at a cut is dropped, and no surrogate
 * pair is split.
 */
export function splitMarkdown(markdown: string, maxChars: number, maxBlocks = Infinity): string[] {
  const pieces: string[] = [];
  let rest = markdown;
  let fence: Fence | null = null;
  let head = "";
  const longestMarker = Math.max(3, Math.floor(maxChars / 8));
  while (rest.length > 0) {
    const prefix = fence === null ? head : `${fence.marker}${languageWithin(fence, maxChars)}\n`;
    const body: string = rest;
    const room = Math.min(maxChars - prefix.length, endOfBlocks(body.slice(0, maxChars), fence, maxBlocks));
    if (body.length <= room) {
      const whole = closedAtEnd(prefix + body, fenceAfter(fence, body, longestMarker));
      pieces.push(whole.length <= maxChars ? whole : prefix + body);
      break;
    }
    let cut: Cut = findCut(body, room, { fence, longestMarker });
    let after: Fence | null = fenceAfter(fence, body.slice(0, cut.end), longestMarker);
    let piece = closed(prefix + body.slice(0, cut.end), after);
    // A cut inside a line may change the meaning of the line, and so the length of the closing fence.
    while (piece.length > maxChars) {
      cut = hardCut(body, cut.end - (piece.length - maxChars));
      after = fenceAfter(fence, body.slice(0, cut.end), longestMarker);
      piece = closed(prefix + body.slice(0, cut.end), after);
    }
    pieces.push(piece);
    const isBetweenLines = body[cut.end] === "\n";
    rest = after === null ? body.slice(cut.next) : restOfCode(body.slice(cut.next), after, isBetweenLines);
    const [line = ""] = rest.split("\n", 1);
    // The code ends exactly here, so the next piece need not reopen the block only to close it.
    if (after !== null && closes(line, after)) {
      rest = rest.slice(line.length);
      after = null;
    }
    if (after === null) rest = rest.replace(/^(?:[ \t]*\n)+/u, "");
    if (after === null && isBetweenLines) rest = atMargin(body.slice(0, cut.end), rest);
    fence = after === null ? null : { ...after, indent: "" };
    const isBetweenRows = isBetweenLines && cut.next === cut.end + 1;
    head = fence === null && isBetweenRows ? tableHead(piece, line, maxChars / 4) : "";
  }
  return pieces.filter((piece) => piece.trim().length > 0);
}

function closed(piece: string, open: Fence | null): string {
  return open === null ? piece.trimEnd() : `${piece}\n${closingLine(open)}`;
}

/** Closes code that is open at the end, unless a less indented last line has ended it along with its list item. */
function closedAtEnd(piece: string, open: Fence | null): string {
  const shown = piece.trimEnd();
  const isOver = open !== null && !shown.slice(shown.lastIndexOf("\n") + 1).startsWith(open.indent);
  return closed(shown, isOver ? null : open);
}

/** Prepares the next piece, which reopens the fence at the margin. The rest of a line cut in two is left as it is. */
function restOfCode(rest: string, fence: Fence, isBetweenLines: boolean): string {
  const from = isBetweenLines ? 0 : `${rest}\n`.indexOf("\n") + 1;
  return rest.slice(0, from) + codeAtMargin(rest.slice(from), fence);
}

function languageWithin(fence: Fence, maxChars: number): string {
  return fence.marker.length + fence.language.length <= maxChars / 4 ? fence.language : "";
}

/** A heading, a line of bold words used as one, or a line that ends in a colon. It stays with what follows. */
const LEADING = /^ {0,3}#{1,6}[ \t]|^[ \t]*\*\*[^*]+\*\*[ \t]*$|[:\uff1a]\**[ \t]*$/u;

interface Start {
  readonly fence: Fence | null;
  readonly longestMarker: number;
}

function findCut(text: string, room: number, start: Start): Cut {
  let fence = start.fence;
  let at = 0;
  let anyCut: Cut | null = null;
  let lineCut: Cut | null = null;
  let paragraphCut: Cut | null = null;
  let leads = false;
  while (at <= room) {
    const newline = text.indexOf("\n", at);
    if (newline === -1) break;
    const line = text.slice(at, newline);
    const before: Fence | null = fence;
    fence = fenceAfterLine(fence, line, start.longestMarker);
    if (newline + closingChars(fence) > room) {
      fence = before;
      break;
    }
    const justOpened = before === null && fence !== null;
    const isHead = fence === null && isTableHead(text.slice(at), line);
    const isBlank = line.trim() === "";
    if (!isBlank) leads = fence === null && LEADING.test(line);
    if (newline > 0 && !justOpened && !isHead) {
      anyCut = { end: newline, next: newline + 1 };
      if (!leads) lineCut = anyCut;
    }
    if (isBlank && fence === null && at > 0 && !leads) paragraphCut = { end: at - 1, next: newline + 1 };
    at = newline + 1;
  }
  if (paragraphCut !== null && paragraphCut.end >= Math.floor(room * PARAGRAPH_FILL)) return paragraphCut;
  for (const border of [lineCut, anyCut]) if (border !== null && border.end >= room * LINE_FILL) return border;
  return cutInLine(text, { at, room }, fence) ?? lineCut ?? paragraphCut ?? hardCut(text, room);
}

function closingChars(fence: Fence | null): number {
  return fence === null ? 0 : closingLine(fence).length + 1;
}

/** A cut between words of the line that begins at `at`. Inside code the white space is kept. */
function cutInLine(text: string, { at, room }: { at: number; room: number }, fence: Fence | null): Cut | null {
  const end = room - closingChars(fence);
  if (end <= at) return null;
  const space = text.slice(at, end + 1).search(/\s\S*$/u);
  const border = at + space;
  if (space <= 0 || border < end * LINE_FILL) return hardCut(text, end);
  return { end: border, next: fence === null ? border + 1 : border };
}

function hardCut(text: string, room: number): Cut {
  const wanted = Math.max(1, room);
  const unit = text.charCodeAt(wanted - 1);
  const insidePair = unit >= 0xd800 && unit <= 0xdbff;
  // A piece takes at least one whole character, or the loop would not advance.
  const end = insidePair ? (wanted > 1 ? wanted - 1 : wanted + 1) : wanted;
  return { end, next: end };
}
