import { chartText } from "./charts.ts";
import { DocumentWriter, imageText, listIndent } from "./document-writer.ts";
import type { DocumentPackage, Relation } from "./package-files.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The package of a drawing, and what the file with the drawing names. */
export interface Surroundings {
  readonly files: DocumentPackage;
  readonly relations: ReadonlyMap<string, Relation>;
  /** Whether cells show the values of charts. */
  readonly isWorkbook?: boolean;
}

/** The text of the chart or the diagram that an element of a document stands for; "" for another element. */
export function drawnText(tag: Tag, { files, relations, isWorkbook = false }: Surroundings): string {
  if (tag.name !== "chart" && tag.name !== "relIds") return "";
  const target = relations.get(attributeOf(tag, tag.name === "chart" ? ":id" : ":dm") ?? "")?.target;
  if (target === undefined) return "";
  if (tag.name === "chart") return chartText(files.text(target), !isWorkbook);
  // What a diagram names is not followed: it could name itself.
  return drawingText({ files, relations: new Map() }, target);
}

/** The texts of a drawing, such as those of a sheet's shapes. */
export function drawingText(around: Surroundings, path: string): string {
  const writer = new DocumentWriter();
  visitXml(around.files.text(path), new DrawingVisitor(writer, around));
  return writer.finish();
}

/** The address outside that an element links to; "" without one. */
function addressOf(tag: Tag, relations: Surroundings["relations"]): string {
  const relation = relations.get(attributeOf(tag, ":id") ?? "");
  return relation?.type === "hyperlink" ? relation.target : "";
}

/** Placeholders of what is the same on each slide, and of a slide's picture on its page of notes. */
const REPEATED = new Set(["sldNum", "dt", "ftr", "hdr", "sldImg"]);
const BODIES = new Set(["body", "obj", "subTitle"]);

export class DrawingVisitor implements XmlVisitor {
  readonly #writer: DocumentWriter;
  readonly #around: Surroundings;
  /** Null for what belongs to a slide. */
  readonly #slide: number | null;
  /** Open elements in a second version of what is shown. */
  #skipped = 0;
  /** Address that the open run of text links to; "" without one. */
  #link = "";
  /** Type of the open shape's placeholder; "" without one. */
  #placeholder = "";
  #isText = false;

  constructor(writer: DocumentWriter, around: Surroundings, slide: number | null = null) {
    this.#writer = writer;
    this.#around = around;
    this.#slide = slide;
  }

  start(tag: Tag): void {
    const { name } = tag;
    if (this.#skipped > 0 || name === "Fallback") this.#skipped++;
    else if (name === "sld") this.#startSlide(tag);
    else if (name === "sp" || name === "graphicFrame") this.#placeholder = "";
    else if (name === "ph") this.#placeholder = attributeOf(tag, "type") ?? "obj";
    else if (name === "p") this.#startParagraph();
    else if (name === "pPr" && BODIES.has(this.#placeholder)) this.#startItem(Number(attributeOf(tag, "lvl") ?? 0));
    else if (name === "r") this.#link = "";
    else if (name === "hlinkClick") this.#link = addressOf(tag, this.#around.relations);
    else if (name === "t") this.#startText();
    else if (name === "br") this.#writer.append("\n");
    else if (name === "cNvPr") this.#startImage(tag);
    else if (name === "tbl") this.#writer.startTable();
    else if (name === "tr") this.#writer.startRow();
    else if (name === "tc") this.#writer.startCell();
    else this.#writer.block(this.#writer.counted(drawnText(tag, this.#around)));
  }

  #startText(): void {
    this.#isText = !REPEATED.has(this.#placeholder);
    if (this.#isText && this.#link !== "") this.#writer.append("[");
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
    this.#writer.block(imageText(attributeOf(tag, "descr")));
  }

  end(name: string): void {
    if (this.#skipped > 0) this.#skipped--;
    else if (name === "t") this.#endText();
    else if (name === "p") this.#writer.endParagraph();
    else if (name === "tc") this.#writer.endCell();
    else if (name === "tbl") this.#writer.endTable();
  }

  #endText(): void {
    if (this.#isText && this.#link !== "") this.#writer.append(`](${this.#link})`);
    this.#isText = false;
  }

  text(text: string): void {
    if (this.#isText && this.#skipped === 0) this.#writer.append(text);
  }
}
