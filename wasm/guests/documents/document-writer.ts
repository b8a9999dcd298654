/** Maximum characters of a document's text, which repetitions in a small file can otherwise make endless. */
const MAX_CHARS = 8_000_000;
/** Maximum time for reading: past the sandbox's own limit, there would be no text at all. */
const MAX_MS = 12_000;
/** Texts between two looks at the clock. */
const TEXTS_PER_LOOK = 500;

/** Maximum columns of one cell (Word's own limit for a table). */
const MAX_COLUMNS = 63;
/** Tables in the cells of tables; what is deeper is shown as paragraphs. */
const MAX_DEPTH = 3;

interface Block {
  readonly text: string;
  /** Has no empty line between it and its neighbour of the same kind. */
  readonly isListItem: boolean;
}

/** Thrown when a text has become as long as wanted, or has taken too long. What is written so far is its beginning. */
export class Enough extends Error {}

/** Writes a document's text as Markdown while its elements are visited. Paragraphs and tables can be nested. */
export class DocumentWriter {
  readonly #paragraphs: { prefix: string; text: string }[] = [];
  /** Finished blocks of the document and of each open cell, and the number of its columns. */
  readonly #cells: { readonly blocks: Block[]; columns: number }[] = [{ blocks: [], columns: 1 }];
  /** Rows of each open table. */
  readonly #tables: string[][][] = [];
  readonly #lines: string[] = [];
  /** Number of open tables. */
  #depth = 0;
  readonly #maxChars: number;
  readonly #endMs = Date.now() + MAX_MS;
  #chars = 0;
  #texts = 0;

  /** What is written may become a little longer than the maximum. */
  constructor(maxChars = MAX_CHARS) {
    this.#maxChars = Math.min(maxChars, MAX_CHARS);
  }

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
    if (paragraph === undefined) return;
    paragraph.text += text;
    this.counted(text);
  }

  endParagraph(): void {
    const paragraph = this.#paragraphs.pop();
    if (paragraph === undefined || paragraph.text.trim() === "") return;
    const { prefix, text } = paragraph;
    this.#add({ text: prefix + text.trim(), isListItem: prefix !== "" && !prefix.startsWith("#") });
  }

  /** Adds a block; none if the text is empty. */
  block(text: string): void {
    if (text !== "") this.#add({ text, isListItem: false });
  }

  /** Adds a line to those before it, of which there can be a million. */
  line(text: string): void {
    if (text === "") return;
    this.#lines.push(text);
    this.counted(text);
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
    if (cell === undefined) return;
    cell.columns = Math.min(count, MAX_COLUMNS);
    this.counted(" ".repeat(Math.max(cell.columns || 0, 0)));
  }

  endCell(): void {
    const row = this.#tables.at(-1)?.at(-1);
    if (this.#depth > MAX_DEPTH || this.#cells.length === 1 || row === undefined) return;
    const { blocks, columns } = this.#cells.pop() ?? { blocks: [], columns: 1 };
    row.push(joined(blocks));
    for (let more = 1; more < columns; more++) row.push("");
  }

  endTable(): void {
    this.#depth--;
    if (this.#depth >= MAX_DEPTH) return;
    const rows = (this.#tables.pop() ?? []).filter((cells) => cells.some((cell) => cell !== ""));
    const text = rows.length === 1 && rows[0]?.length === 1 ? (rows[0][0] ?? "") : tableText(rows);
    this.block(text);
  }

  /** The text; what is still open ends here. */
  finish(): string {
    while (this.#paragraphs.length > 0) this.endParagraph();
    while (this.#depth > 0) {
      this.endCell();
      this.endTable();
    }
    this.#endLines();
    return joined(this.#cells[0]?.blocks ?? []);
  }

  #endLines(): void {
    const text = this.#lines.splice(0).join("\n");
    if (text !== "") this.block(text);
  }

  /** Throws Enough if the text has become too long, or has taken too long. */
  counted(text: string): string {
    this.#chars += text.length + 1;
    this.#texts++;
    const isLate = this.#texts % TEXTS_PER_LOOK === 0 && Date.now() > this.#endMs;
    if (this.#chars > this.#maxChars || isLate) throw new Enough();
    return text;
  }

  #add(block: Block): void {
    this.#endLines();
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
