import { type DocumentWriter, imageText } from "./document-writer.ts";
import { OpenLists } from "./open-lists.ts";
import type { DocumentPackage } from "./package-files.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The text of an OpenDocument text or presentation. Source: OASIS OpenDocument 1.3, part 3. */
export function openDocumentText(writer: DocumentWriter, files: DocumentPackage): void {
  const lists = new OpenLists([...files.text("styles.xml"), ...files.text("content.xml")]);
  visitXml(files.text("content.xml"), new OpenDocumentVisitor(writer, lists));
}

/** Deleted text, the numbers that notes get here anew, those of pages, and what is only seen on the screen. */
const SKIPPED = new Set(["tracked-changes", "note-citation", "page-number", "forms"]);
/** When someone commented, and who in short. */
const OF_COMMENT = new Set(["creator-initials", "sender-initials", "date", "date-string"]);

class OpenDocumentVisitor implements XmlVisitor {
  readonly #writer: DocumentWriter;
  #skipped = 0;
  #slides = 0;
  readonly #lists: OpenLists;
  /** What the next paragraph begins with, if it is the first of a list's item. */
  #item = "";
  readonly #links: string[] = [];
  /** What the next text begins with: the mark of its note. */
  #mark = "";
  #notes = 0;
  #comments = 0;
  #isComment = false;
  /** Text that is no part of a paragraph: who commented, or what describes an image; null outside of it. */
  #aside: string | null = null;
  #isFrame = false;
  /** The style being read, and those of slides that are not shown. */
  #style = "";
  readonly #hidden = new Set<string>();

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
    else if (name === "page") this.#startSlide(tag);
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
    this.#item = "";
  }

  #startSlide(tag: Tag): void {
    this.#mark = "";
    const isHidden = this.#hidden.has(attributeOf(tag, "style-name") ?? "");
    this.#writer.block(`## Slide ${++this.#slides}${isHidden ? " (hidden)" : ""}`);
  }

  #startInline(tag: Tag): void {
    const { name } = tag;
    if (name === "s") this.#append(" ".repeat(Math.min(Number(attributeOf(tag, "c") ?? 1), 100)));
    else if (name === "tab") this.#append("\t");
    else if (name === "line-break") this.#append("\n");
    else if (name === "a") this.#startLink(attributeOf(tag, "href") ?? "");
    else if (name === "note") this.#startNote();
    else if (name === "annotation") this.#startComment();
    else if (name === "frame" || name === "text-box") this.#isFrame = name === "frame";
    else if (name === "creator" || this.#isDescription(name)) this.#aside = "";
    else if (name === "style") this.#style = attributeOf(tag, ":name") ?? "";
    else if (name === "drawing-page-properties" && attributeOf(tag, "visibility") === "hidden")
      this.#hidden.add(this.#style);
  }

  #startLink(address: string): void {
    const isOutside = address !== "" && !address.startsWith("#");
    if (isOutside) this.#append("[");
    this.#links.push(isOutside ? `](${address})` : "");
  }

  /** What describes an image; outside of frames, a title is a field with that of the document. */
  #isDescription(name: string): boolean {
    return this.#isFrame && (name === "title" || name === "desc");
  }

  #startComment(): void {
    this.#isComment = true;
    this.#append(`[comment ${++this.#comments}]`);
    this.#mark = `[comment ${this.#comments}]: `;
  }

  #startNote(): void {
    this.#notes++;
    this.#append(`[^${this.#notes}]`);
    this.#mark = `[^${this.#notes}]: `;
  }

  end(name: string): void {
    if (this.#skipped > 0) this.#skipped--;
    else if (name === "p" || name === "h") this.#writer.endParagraph();
    else if (name === "list") this.#lists.end();
    else if (name === "frame") this.#isFrame = false;
    else if (name === "note") this.#mark = "";
    else if (name === "annotation") {
      this.#isComment = false;
      this.#mark = "";
    } else if (name === "creator") this.#mark += `${this.#endAside()}: `;
    else if (this.#isDescription(name)) this.#writer.block(imageText(this.#endAside()));
    else if (name === "a") this.#append(this.#links.pop() ?? "");
    else if (name === "table-cell") this.#writer.endCell();
    else if (name === "table") this.#writer.endTable();
  }

  #append(text: string): void {
    const isFirst = text.trim() !== "";
    this.#writer.append(isFirst ? this.#mark + text : text);
    if (isFirst) this.#mark = "";
  }

  #endAside(): string {
    const text = this.#aside ?? "";
    this.#aside = null;
    return text;
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#aside === null) this.#append(text.replaceAll(/\s+/g, " "));
    else this.#aside += text;
  }
}
