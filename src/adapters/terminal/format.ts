import { styleText } from "node:util";
import { visibleText } from "../../core/text/plain-text.ts";
import { columnsOf } from "../render/markdown/columns.ts";
import { unmarked } from "../render/markdown/plain-tables.ts";

/** Markdown as a terminal shows it: lines of at most so many columns, with colours where they are wanted. */

export interface TerminalStyle {
  /** Columns. */
  readonly width: number;
  /** ANSI codes may be written. */
  readonly hasColour: boolean;
}

export function tinted(
  text: string,
  tint: "bold" | "dim" | "red" | "cyan" | "underline",
  { hasColour }: Pick<TerminalStyle, "hasColour">,
): string {
  return hasColour && text !== "" ? styleText(tint, text, { validateStream: false }) : text;
}

/** Below this, wrapping makes text less readable than what the terminal does by itself. Columns. */
const LEAST_WIDTH = 20;

/** Model text can hold no escape sequence of its own: what a terminal would act on is written out. */
export function terminalLines(markdown: string, style: TerminalStyle): string[] {
  const lines: string[] = [];
  let isCode = false;
  for (const raw of visibleText(markdown).replaceAll("\t", "    ").split("\n")) {
    if (/^\s*(?:`{3,}|~{3,})/u.test(raw)) {
      isCode = !isCode;
      continue;
    }
    if (isCode) lines.push(...wrapped(raw, style.width - 2).map((line) => `  ${tinted(line, "cyan", style)}`));
    else lines.push(...textLines(raw, style));
  }
  return lines;
}

function textLines(raw: string, style: TerminalStyle): string[] {
  const heading = /^#{1,6} (.*)$/u.exec(raw)?.[1];
  if (heading !== undefined) {
    return wrapped(unmarked(heading), style.width).map((line) => tinted(line, "bold", style));
  }
  const quote = /^>\s?(.*)$/u.exec(raw)?.[1];
  if (quote !== undefined) {
    return wrapped(unmarked(quote), style.width - 2).map((line) => tinted(`│ ${line}`, "dim", style));
  }
  const [, indent = "", mark = "", rest = ""] = /^(\s*)([-*+] |\d+[.)] )(.*)$/u.exec(raw) ?? [];
  if (mark === "") return wrapped(raw, style.width).map((line) => inline(line, style));
  const sign = /^[-*+] $/u.test(mark) ? "• " : mark;
  const hanging = `${indent}${" ".repeat(sign.length)}`;
  return wrapped(`${indent}${sign}${rest}`, style.width, hanging).map((line) => inline(line, style));
}

/** Marks of Markdown that hold words of a line: code, bold, a link. */
const MARKED = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\][\n]+)\]\(([^()\s]+)\)/gu;

function inline(line: string, style: TerminalStyle): string {
  return line.replaceAll(MARKED, (_all, ...found: readonly (string | undefined)[]) => {
    const [code, bold, label = "", address = ""] = found;
    if (code !== undefined) return tinted(code, "cyan", style);
    if (bold !== undefined) return tinted(bold, "bold", style);
    return `${label} (${tinted(address, "underline", style)})`;
  });
}

/** Cut at blanks where there are any; `hanging` stands before each further line. */
function wrapped(line: string, width: number, hanging = ""): string[] {
  const room = Math.max(LEAST_WIDTH, width);
  if (columnsOf(line) <= room) return [line];
  const lines: string[] = [];
  let current = "";
  for (const word of line.split(/(?<= )/u)) {
    if (current !== "" && columnsOf(current) + columnsOf(word.trimEnd()) > room) {
      lines.push(current.trimEnd());
      current = hanging;
    }
    current += word;
    while (columnsOf(current.trimEnd()) > room) {
      const [head, tail] = cutAt(current, room);
      lines.push(head);
      current = `${hanging}${tail}`;
    }
  }
  return [...lines, current.trimEnd()];
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** As many whole characters as fit, and the rest. */
function cutAt(text: string, width: number): [string, string] {
  let columns = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    columns += columnsOf(segment);
    if (columns > width && index > 0) return [text.slice(0, index), text.slice(index)];
  }
  return [text, ""];
}

/** One line of at most so many columns, with a visible cut. */
export function fitted(line: string, width: number): string {
  if (columnsOf(line) <= width) return line;
  return `${cutAt(line, Math.max(1, width - 1))[0]}…`;
}
