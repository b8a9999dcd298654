import { DocumentWriter, imageText, listIndent } from "./document-writer.ts";
import { type DocumentPackage, visitStarts } from "./package-files.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The text of a PowerPoint presentation. `main` is the path of its main part. Source: ECMA-376-1, 19. */
export function presentationText(files: DocumentPackage, main: string): string {
  const writer = new DocumentWriter();
  const relations = files.relationsOf(main);
  let count = 0;
  visitStarts(files.text(main), (tag) => {
    const slide = tag.name === "sldId" ? relations.get(attributeOf(tag, ":id") ?? "") : undefined;
    if (slide === undefined) return;
    count++;
    readSlide(writer, files, { path: slide.target, number: count });
  });
  return writer.finish();
}

function readSlide(writer: DocumentWriter, files: DocumentPackage, slide: { path: string; number: number }): void {
  visitXml(files.text(slide.path), new SlideVisitor(writer, slide.number));
  for (const { type, target } of files.relationsOf(slide.path).values()) {
    if (type === "diagramData") visitXml(files.text(target), new SlideVisitor(writer));
    if (type !== "notesSlide") continue;
    const notes = new DocumentWriter();
    visitXml(files.text(target), new SlideVisitor(notes));
    const text = notes.finish();
    if (text !== "") writer.block(`Notes: ${text}`);
  }
}

/** Placeholders of what is the same on each slide, and of a slide's picture on its page of notes. */
const REPEATED = new Set(["sldNum", "dt", "ftr", "hdr", "sldImg"]);
const BODIES = new Set(["body", "obj", "subTitle"]);

class SlideVisitor implements XmlVisitor {
  readonly #writer: DocumentWriter;
  /** Null for what belongs to a slide. */
  readonly #slide: number | null;
  /** Type of the open shape's placeholder; "" without one. */
  #placeholder = "";
  #isText = false;

  constructor(writer: DocumentWriter, slide: number | null = null) {
    this.#writer = writer;
    this.#slide = slide;
  }

  start(tag: Tag): void {
    const { name } = tag;
    if (name === "sld") this.#startSlide(tag);
    else if (name === "sp" || name === "graphicFrame") this.#placeholder = "";
    else if (name === "ph") this.#placeholder = attributeOf(tag, "type") ?? "obj";
    else if (name === "p") this.#startParagraph();
    else if (name === "pPr" && BODIES.has(this.#placeholder)) this.#startItem(Number(attributeOf(tag, "lvl") ?? 0));
    else if (name === "t") this.#isText = !REPEATED.has(this.#placeholder);
    else if (name === "br") this.#writer.append("\n");
    else if (name === "cNvPr") this.#startImage(tag);
    else if (name === "tbl") this.#writer.startTable();
    else if (name === "tr") this.#writer.startRow();
    else if (name === "tc") {
      this.#writer.startCell();
      this.#writer.columns(Number(attributeOf(tag, "gridSpan") ?? 1));
    }
  }

  #startSlide(tag: Tag): void {
    const isHidden = ["0", "false"].includes(attributeOf(tag, "show") ?? "");
    this.#writer.block(`## Slide ${this.#slide}${isHidden ? " (hidden)" : ""}`);
  }

  #startParagraph(): void {
    this.#writer.startParagraph();
    if (this.#placeholder === "title" || this.#placeholder === "ctrTitle") this.#writer.prefix("### ");
    else if (BODIES.has(this.#placeholder)) this.#startItem(0);
  }

  #startItem(level: number): void {
    if (this.#slide !== null) this.#writer.prefix(`${listIndent(level)}- `);
  }

  #startImage(tag: Tag): void {
    const text = imageText(attributeOf(tag, "descr"));
    if (text !== "") this.#writer.block(text);
  }

  end(name: string): void {
    if (name === "t") this.#isText = false;
    else if (name === "p") this.#writer.endParagraph();
    else if (name === "tc") this.#writer.endCell();
    else if (name === "tbl") this.#writer.endTable();
  }

  text(text: string): void {
    if (this.#isText) this.#writer.append(text);
  }
}
