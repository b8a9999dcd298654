import { type Fence, fenceAfterLine } from "./fences.ts";
import { isTableHead } from "./tables.ts";

/** The kind of block that a line belongs to. */
type Kind = "blank" | "alone" | "table" | "text";

/** Headings and rules, each a block of its own. */
const ALONE = /^ {0,3}(?:#{1,6}(?:[ \t]|$)|(?:-[ \t]*){3,}$|(?:\*[ \t]*){3,}$|(?:_[ \t]*){3,}$)/u;

/**
 * Returns the end of the first `most` blocks of a text, which may begin inside the fence `open`. Each heading, rule and
 * table is one block, and so is the text between two of these.
 */
export function endOfBlocks(text: string, open: Fence | null, most: number): number {
  if (most === Infinity) return text.length;
  let fence = open;
  let isInText = open !== null;
  let isInTable = false;
  let blocks = isInText ? 1 : 0;
  let at = 0;
  for (const line of text.split("\n")) {
    const isCode = fence !== null;
    fence = fenceAfterLine(fence, line, text.length);
    const kind: Kind = isCode || fence !== null ? "text" : kindOf(text.slice(at), line, isInTable);
    const goesOn = kind === "blank" || (kind === "text" && isInText) || (kind === "table" && isInTable);
    if (!goesOn) blocks += 1;
    if (blocks > most) return at;
    isInTable = kind === "table";
    isInText = kind === "text" || (kind === "blank" && isInText);
    at += line.length + 1;
  }
  return text.length;
}

function kindOf(text: string, line: string, isInTable: boolean): Kind {
  if (line.trim() === "") return "blank";
  if (ALONE.test(line)) return "alone";
  return (isInTable && line.includes("|")) || isTableHead(text, line) ? "table" : "text";
}
