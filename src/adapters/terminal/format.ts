import { styleText } from "node:util";
import { visibleText } from "../../core/text/plain-text.ts";
import { columnsOf } from "../render/markdown/columns.ts";
import { unmarked } from "../render/markdown/plain-tables.ts";

/** Renders Markdown for a terminal: lines of limited width, in colour if wanted. */

export interface TerminalStyle {
  /** In columns. */
  readonly width: number;
  /** Whether ANSI codes may be written. */
  readonly hasColour: boolean;
}

export function tinted(
  text: string,
  tint: "bold" | "dim" | "red" | "cyan" | "underline",
  { hasColour }: Pick<TerminalStyle, "hasColour">,
): string {
  return hasColour && text !== "" ? styleText(tint, text, { validateStream: false }) : text;
}

/** Minimum width for wrapping; below it, the terminal's own wrapping is more readable. In columns. */
const MIN_WIDTH = 20;

/** Renders a text. Control characters in it are made visible, so that it cannot contain escape sequences. */
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

/** Inline Markdown: code, bold, and links. */
const MARKED = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[([^\][\n]+)\]\(([^()\s]+)\)/gu;

function inline(line: string, style: TerminalStyle): string {
  return line.replaceAll(MARKED, (_all, ...found: readonly (string | undefined)[]) => {
    const [code, bold, label = "", address = ""] = found;
    if (code !== undefined) return tinted(code, "cyan", style);
    if (bold !== undefined) return tinted(bold, "bold", style);
    return `${label} (${tinted(address, "underline", style)})`;
  });
}

/** Wraps a line at blanks where possible; `hanging` is put before each further line. */
function wrapped(line: string, width: number, hanging = ""): string[] {
  const room = Math.max(MIN_WIDTH, width);
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

/** Splits off as many whole characters as fit. */
function cutAt(text: string, width: number): [string, string] {
  let columns = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    columns += columnsOf(segment);
    if (columns > width && index > 0) return [text.slice(0, index), text.slice(index)];
  }
  return [text, ""];
}

/** Shortens a line to this many columns, ending in an ellipsis. */
export function fitted(line: string, width: number): string {
  if (columnsOf(line) <= width) return line;
  return `${cutAt(line, Math.max(1, width - 1))[0]}…`;
}
