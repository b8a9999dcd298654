import { DocumentWriter } from "./document-writer.ts";
import { OpenLists } from "./open-lists.ts";
import type { DocumentPackage } from "./package-files.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The text of an OpenDocument text or presentation. Source: OASIS OpenDocument 1.3, part 3. */
export function openDocumentText(files: DocumentPackage): string {
  const writer = new DocumentWriter();
  const lists = new OpenLists([...files.text("styles.xml"), ...files.text("content.xml")]);
  visitXml(files.text("content.xml"), new OpenDocumentVisitor(writer, lists));
  return writer.finish();
}

/** Deleted text, the numbers that notes get here anew, and what is only seen on the screen. */
const SKIPPED = new Set(["tracked-changes", "note-citation", "forms"]);
/** Who commented when. */
const OF_COMMENT = new Set(["creator", "creator-initials", "sender-initials", "date", "date-string"]);

class OpenDocumentVisitor implements XmlVisitor {
  readonly #writer: DocumentWriter;
  #skipped = 0;
  #slides = 0;
  readonly #lists: OpenLists;
  /** What the next paragraph begins with, if it is the first of a list's item. */
  #item = "";
  readonly #links: string[] = [];
  /** What the next paragraph begins with: the mark of its note. */
  #mark = "";
  #notes = 0;
  #isComment = false;

  constructor(writer: DocumentWriter, lists: OpenLists) {
    this.#writer = writer;
    this.#lists = lists;
  }

  start(tag: Tag): void {
    if (this.#skipped > 0 || SKIPPED.has(tag.name) || (this.#isComment && OF_COMMENT.has(tag.name))) this.#skipped++;
    else if (!this.#startBlock(tag)) this.#startInline(tag);
  }

  #startBlock(tag: Tag): boolean {
    const { name } = tag;
    if (name === "p" || name === "h")
      this.#startParagraph(name === "h" ? Number(attributeOf(tag, "outline-level")) : 0);
    else if (name === "list") this.#lists.start(tag);
    else if (name === "list-item") this.#item = this.#lists.next(tag);
    else if (name === "page") this.#writer.block(`## Slide ${++this.#slides}`);
    else if (name === "notes") this.#mark = "Notes: ";
    else if (name === "table") this.#writer.startTable();
    else if (name === "table-row") this.#writer.startRow();
    else if (name === "table-cell") {
      this.#writer.startCell();
      this.#writer.columns(Number(attributeOf(tag, "number-columns-spanned") ?? 1));
    } else return false;
    return true;
  }

  #startParagraph(heading: number): void {
    const prefix = heading > 0 ? `${"#".repeat(Math.min(heading, 6))} ` : this.#item;
    this.#writer.startParagraph(prefix);
    this.#writer.append(this.#mark);
    this.#item = "";
    this.#mark = "";
  }

  #startInline(tag: Tag): void {
    const { name } = tag;
    if (name === "s") this.#writer.append(" ".repeat(Math.min(Number(attributeOf(tag, "c") ?? 1), 100)));
    else if (name === "tab") this.#writer.append("\t");
    else if (name === "line-break") this.#writer.append("\n");
    else if (name === "a") this.#startLink(attributeOf(tag, "href") ?? "");
    else if (name === "note") this.#startNote();
    else if (name === "annotation") {
      this.#isComment = true;
      this.#mark = "[comment]: ";
    }
  }

  #startLink(address: string): void {
    const isOutside = address !== "" && !address.startsWith("#");
    if (isOutside) this.#writer.append("[");
    this.#links.push(isOutside ? `](${address})` : "");
  }

  #startNote(): void {
    this.#notes++;
    this.#writer.append(`[^${this.#notes}]`);
    this.#mark = `[^${this.#notes}]: `;
  }

  end(name: string): void {
    if (this.#skipped > 0) this.#skipped--;
    else if (name === "p" || name === "h") this.#writer.endParagraph();
    else if (name === "list") this.#lists.end();
    else if (name === "annotation") this.#isComment = false;
    else if (name === "a") this.#writer.append(this.#links.pop() ?? "");
    else if (name === "table-cell") this.#writer.endCell();
    else if (name === "table") this.#writer.endTable();
  }

  text(text: string): void {
    if (this.#skipped === 0) this.#writer.append(text.replaceAll(/\s+/g, " "));
  }
}
