import { Refusal } from "../workspace.ts";

/** Maximum characters of a document's text, which repetitions in a small file can otherwise make endless. */
const MAX_CHARS = 8_000_000;

/** Maximum columns of one cell (Word's own limit for a table). */
const MAX_COLUMNS = 63;
/** Tables in the cells of tables; what is deeper is shown as paragraphs. */
const MAX_DEPTH = 3;

interface Block {
  readonly text: string;
  /** Has no empty line between it and its neighbour of the same kind. */
  readonly isListItem: boolean;
}

/** Writes a document's text as Markdown while its elements are visited. Paragraphs and tables can be nested. */
export class DocumentWriter {
  readonly #paragraphs: { prefix: string; text: string }[] = [];
  /** Finished blocks of the document and of each open cell, and the number of its columns. */
  readonly #cells: { readonly blocks: Block[]; columns: number }[] = [{ blocks: [], columns: 1 }];
  /** Rows of each open table. */
  readonly #tables: string[][][] = [];
  /** Number of open tables. */
  #depth = 0;
  #chars = 0;

  startParagraph(prefix = ""): void {
    this.#paragraphs.push({ prefix, text: "" });
  }

  /** What the open paragraph begins with, such as "# " or "- ". */
  prefix(prefix: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph !== undefined) paragraph.prefix = prefix;
  }

  /** Adds to the open paragraph, if there is one. */
  append(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph !== undefined) paragraph.text += this.counted(text);
  }

  endParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (paragraph === undefined || paragraph.text.trim() === "") return;
    const { prefix, text } = paragraph;
    this.#add({ text: prefix + text.trim(), isListItem: prefix !== "" && !prefix.startsWith("#") });
  }

  block(text: string): void {
    this.#add({ text, isListItem: false });
  }

  startTable(): void {
    this.#depth++;
    if (this.#depth <= MAX_DEPTH) this.#tables.push([]);
  }

  startRow(): void {
    if (this.#depth <= MAX_DEPTH) this.#tables.at(-1)?.push([]);
  }

  startCell(): void {
    if (this.#depth <= MAX_DEPTH) this.#cells.push({ blocks: [], columns: 1 });
  }

  /** Widens the open cell. */
  columns(count: number): void {
    const cell = this.#cells.at(-1);
    if (cell !== undefined) cell.columns = Math.min(count, MAX_COLUMNS);
  }

  endCell(): void {
    const row = this.#tables.at(-1)?.at(-1);
    if (this.#depth > MAX_DEPTH || this.#cells.length === 1 || row === undefined) return;
    const { blocks, columns } = this.#cells.pop() ?? { blocks: [], columns: 1 };
    row.push(joined(blocks));
    for (let more = 1; more < columns; more++) row.push(this.counted(""));
  }

  endTable(): void {
    this.#depth--;
    if (this.#depth >= MAX_DEPTH) return;
    const rows = (this.#tables.pop() ?? []).filter((cells) => cells.some((cell) => cell !== ""));
    const text = rows.length === 1 && rows[0]?.length === 1 ? (rows[0][0] ?? "") : tableText(rows);
    if (text !== "") this.block(text);
  }

  finish(): string {
    return joined(this.#cells[0]?.blocks ?? []);
  }

  /** Throws a Refusal if the document has become too long. */
  counted(text: string): string {
    this.#chars += text.length + 1;
    if (this.#chars > MAX_CHARS) throw new Refusal("This document is too large to show: over 8,000,000 characters.");
    return text;
  }

  #add(block: Block): void {
    this.#cells.at(-1)?.blocks.push(block);
  }
}

/** What stands for an image: its description; "" without one. */
export function imageText(description: string | null): string {
  return description === null || description === "" ? "" : `[image: ${description.replaceAll(/\s+/g, " ")}]`;
}

/** Space before the mark of a list's item, by its level from 0. */
export function listIndent(level: number): string {
  return "  ".repeat(Math.max(0, Math.min(level || 0, 8)));
}

function joined(blocks: readonly Block[]): string {
  let text = "";
  for (const [index, block] of blocks.entries()) {
    const isSameList = block.isListItem && blocks[index - 1]?.isListItem === true;
    text += (index === 0 ? "" : isSameList ? "\n" : "\n\n") + block.text;
  }
  return text;
}

function tableText(rows: readonly (readonly string[])[]): string {
  const [head, ...body] = rows.map((cells) => {
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\n+/g, "<br>")).join(" | ")} |`;
  });
  return head === undefined ? "" : [head, `|${" --- |".repeat(rows[0]?.length ?? 0)}`, ...body].join("\n");
}
