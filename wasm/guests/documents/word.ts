import { DocumentWriter, imageText } from "./document-writer.ts";
import { drawnText, type Surroundings } from "./drawings.ts";
import { Numbering } from "./numbering.ts";
import { type DocumentPackage, visitStarts } from "./package-files.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The text of a Word document. `main` is the path of its main part. Source: ECMA-376-1, 17. */
export function wordText(writer: DocumentWriter, files: DocumentPackage, main: string): void {
  const relations = files.relationsOf(main);
  const styles = stylesOf(files.text(files.related(main, "styles")));
  const numbering = new Numbering(files.text(files.related(main, "numbering")));
  const read = (path: string, into = writer): void =>
    visitXml(files.text(path), new WordVisitor(into, { files, relations: files.relationsOf(path), styles, numbering }));
  read(main);
  for (const type of ["footnotes", "endnotes", "comments"]) read(files.related(main, type));
  // First, odd and even pages often have the same ones.
  const repeated = new Set<string>();
  for (const { type, target } of relations.values()) {
    if (type !== "header" && type !== "footer") continue;
    const part = new DocumentWriter();
    read(target, part);
    const text = part.finish();
    if (text !== "") repeated.add(`[${type}]: ${text.replaceAll(/\n+/g, " / ")}`);
  }
  for (const text of repeated) writer.block(writer.counted(text));
}

interface Style {
  /** "heading 1" in each language. */
  name: string;
  basedOn: string;
  outlineLevel: number | null;
  list: string;
  depth: number;
}

interface WordParts extends Surroundings {
  readonly styles: ReadonlyMap<string, Style>;
  readonly numbering: Numbering;
}

function stylesOf(xml: Iterable<string>): Map<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style = { name: "", basedOn: "", outlineLevel: null, list: "", depth: 0 };
  visitStarts(xml, (tag) => {
    const value = attributeOf(tag, "val") ?? "";
    if (tag.name === "style") {
      style = { name: "", basedOn: "", outlineLevel: null, list: "", depth: 0 };
      styles.set(attributeOf(tag, "styleId") ?? "", style);
    } else if (tag.name === "name") style.name = value.toLowerCase();
    else if (tag.name === "basedOn") style.basedOn = value;
    else if (tag.name === "outlineLvl") style.outlineLevel = Number(value);
    else if (tag.name === "numId") style.list = value;
    else if (tag.name === "ilvl") style.depth = Number(value);
  });
  return styles;
}

interface ParagraphProperties {
  style: string;
  list: string | null;
  depth: number | null;
  outlineLevel: number | null;
}

/** Deleted or earlier text, and second versions of what is shown. */
const SKIPPED = new Set(["Fallback", "moveFrom", "instrText", "del", "delText", "pPrChange", "rPrChange"]);
/** What the marks of notes and comments begin with. */
const MARKS: ReadonlyMap<string, string> = new Map([
  ["footnote", "^"],
  ["endnote", "^e"],
  ["comment", "comment "],
]);
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ["tab", "\t"],
  ["ptab", "\t"],
  ["br", "\n"],
  ["cr", "\n"],
  ["noBreakHyphen", "-"],
]);

class WordVisitor implements XmlVisitor {
  readonly #writer: DocumentWriter;
  readonly #around: WordParts;
  /** Open elements in what is skipped. */
  #skipped = 0;
  /** Properties of the open paragraph while they are read. */
  #properties: ParagraphProperties | null = null;
  #isText = false;
  #isHidden = false;
  #isRaised = false;
  /** What follows the text of each open link. */
  readonly #links: string[] = [];
  /** What the next paragraph begins with: the mark of its note. */
  #mark = "";

  constructor(writer: DocumentWriter, around: WordParts) {
    this.#writer = writer;
    this.#around = around;
  }

  start(tag: Tag): void {
    if (this.#skipped > 0 || SKIPPED.has(tag.name) || isSeparator(tag)) this.#skipped++;
    else if (this.#properties !== null) this.#startProperty(this.#properties, tag);
    else if (!this.#startBlock(tag)) this.#startInline(tag);
  }

  #startProperty(properties: ParagraphProperties, tag: Tag): void {
    const value = attributeOf(tag, "val") ?? "";
    if (tag.name === "pStyle") properties.style = value;
    else if (tag.name === "numId") properties.list = value;
    else if (tag.name === "ilvl") properties.depth = Number(value);
    else if (tag.name === "outlineLvl") properties.outlineLevel = Number(value);
  }

  #startBlock(tag: Tag): boolean {
    const mark = MARKS.get(tag.name);
    if (tag.name === "p") {
      this.#writer.startParagraph();
      this.#writer.append(this.#mark);
      this.#mark = "";
    } else if (tag.name === "pPr") this.#properties = { style: "", list: null, depth: null, outlineLevel: null };
    else if (tag.name === "tbl") this.#writer.startTable();
    else if (tag.name === "tr") this.#writer.startRow();
    else if (tag.name === "tc") this.#writer.startCell();
    else if (tag.name === "gridSpan") this.#writer.columns(Number(attributeOf(tag, "val")));
    else if (mark !== undefined) this.#mark = markOf(mark, tag);
    else return false;
    return true;
  }

  #startInline(tag: Tag): void {
    const character = CHARACTERS.get(tag.name);
    if (tag.name === "t") this.#isText = true;
    else if (tag.name === "vanish") this.#isHidden = !["0", "false"].includes(attributeOf(tag, "val") ?? "");
    else if (character !== undefined) this.#append(character);
    else if (tag.name === "hyperlink") this.#startLink(tag);
    else if (tag.name === "vertAlign") this.#isRaised = attributeOf(tag, "val") === "superscript";
    else if (tag.name === "docPr") this.#append(imageText(attributeOf(tag, "descr")));
    else if (tag.name.endsWith("Reference")) {
      const mark = MARKS.get(tag.name.slice(0, -"Reference".length));
      if (mark !== undefined) this.#append(`[${mark}${attributeOf(tag, "id") ?? ""}]`);
    } else this.#writer.block(this.#writer.counted(drawnText(tag, this.#around)));
  }

  #startLink(tag: Tag): void {
    const relation = this.#around.relations.get(attributeOf(tag, ":id") ?? "");
    if (relation !== undefined) this.#append("[");
    this.#links.push(relation === undefined ? "" : `](${relation.target})`);
  }

  end(name: string): void {
    if (this.#skipped > 0) this.#skipped--;
    else if (name === "pPr") this.#endProperties();
    else if (name === "t") this.#isText = false;
    else if (name === "r") {
      this.#isHidden = false;
      this.#isRaised = false;
    } else if (name === "p") this.#writer.endParagraph();
    else if (name === "hyperlink") this.#append(this.#links.pop() ?? "");
    else if (name === "tc") this.#writer.endCell();
    else if (name === "tbl") this.#writer.endTable();
  }

  text(text: string): void {
    if (this.#isText && this.#skipped === 0) this.#append(this.#isRaised ? raised(text) : text);
  }

  #append(text: string): void {
    if (!this.#isHidden) this.#writer.append(text);
  }

  #endProperties(): void {
    const properties = this.#properties;
    this.#properties = null;
    if (properties !== null) this.#writer.prefix(this.#prefixOf(properties));
  }

  #prefixOf({ style, list, depth, outlineLevel }: ParagraphProperties): string {
    const inherited = inheritedStyle(this.#around.styles, style);
    const heading = outlineLevel ?? inherited.outlineLevel;
    const mark = this.#around.numbering.next(list ?? inherited.list, depth ?? inherited.depth);
    if (heading === null || heading > 8) return mark;
    return `${"#".repeat(Math.min(heading + 1, 6))} ${mark.trimStart()}`;
  }
}

/** What a style and those that it is based on set. */
function inheritedStyle(styles: WordParts["styles"], id: string): Pick<Style, "outlineLevel" | "list" | "depth"> {
  const found = { outlineLevel: null as number | null, list: "", depth: 0 };
  let style = styles.get(id);
  for (let depth = 0; style !== undefined && depth < 10; depth++) {
    found.outlineLevel ??= headingLevel(style);
    if (found.list === "") {
      found.list = style.list;
      found.depth = style.depth;
    }
    style = styles.get(style.basedOn);
  }
  return found;
}

function headingLevel({ name, outlineLevel }: Style): number | null {
  if (name === "title") return 0;
  const digit = /^heading ([1-9])$/.exec(name)?.[1];
  return digit === undefined ? outlineLevel : Number(digit) - 1;
}

/** The lines between a page's text and its notes are themselves notes. */
function isSeparator(tag: Tag): boolean {
  return MARKS.has(tag.name) && (attributeOf(tag, "type") ?? "normal") !== "normal";
}

function markOf(mark: string, tag: Tag): string {
  const author = attributeOf(tag, "author");
  return `[${mark}${attributeOf(tag, "id") ?? ""}]: ${author === null ? "" : `${author}: `}`;
}

/** The text with its digits as superscripts: 10⁶ would otherwise read as 106. */
function raised(text: string): string {
  return text.replaceAll(/[0-9-]/g, (digit) => (digit === "-" ? "⁻" : ("⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)] ?? "")));
}
