import { cutLine, linesOf } from "./files/lines.ts";
import { Refusal } from "./workspace.ts";

/** Maximum characters of a displayed line. */
export const LINE_CHARS = 2_000;
/** Maximum characters of one answer, which must leave room for others in the tool-result budget. */
const ANSWER_CHARS = 40_000;

/** Lines of a text, the first of which is the one asked for. */
export interface LinesToShow {
  readonly text: string;
  readonly totalLines: number;
  /** Sentences beneath the lines. */
  readonly notes: readonly string[];
}

export interface ShownLines {
  readonly text: string;
  /** Such as "2 lines". */
  readonly summary: string;
}

/** The lines with their numbers, as many as fit. Throws a Refusal if there are none at the offset. */
export function shownLines(
  { text, totalLines, notes }: LinesToShow,
  { path, offset }: { readonly path: string; readonly offset: number },
): ShownLines {
  if (totalLines === 0) return { text: `${path} is empty.`, summary: "empty" };
  if (offset > totalLines) throw new Refusal(`${path} has ${totalLines} lines; offset ${offset} is past its end.`);
  const lines = numbered(text, offset);
  const end = offset + lines.length - 1;
  const more = end < totalLines ? [`[Lines ${offset}–${end} of ${totalLines}. Continue with offset ${end + 1}.]`] : [];
  return {
    text: [...lines, ...notes, ...more].join("\n"),
    summary: lines.length === 1 ? "1 line" : `${lines.length} lines`,
  };
}

function numbered(text: string, offset: number): string[] {
  const lines = linesOf(offset === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text);
  const shown: string[] = [];
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    const entry = `${offset + index}\t${cutLine(line, LINE_CHARS)}`;
    chars += entry.length + 1;
    if (chars > ANSWER_CHARS && shown.length > 0) break;
    shown.push(entry);
  }
  return shown;
}
