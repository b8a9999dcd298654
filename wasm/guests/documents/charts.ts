import { csvLine } from "./csv.ts";
import { ShownNumbers } from "./number-formats.ts";
import { attributeOf, type Tag, visitXml, type XmlVisitor } from "./xml.ts";

/** The titles of a chart and of its axes, and its values as CSV, a row for each series. Source: ECMA-376-1, 21.2. */
export function chartText(xml: Iterable<string>, hasValues: boolean): string {
  const visitor = new ChartVisitor();
  visitXml(xml, visitor);
  const titles = visitor.titles.join("; ");
  if (!hasValues) return titles === "" ? "" : `[chart: ${titles}]`;
  return [`[chart${titles === "" ? "" : `: ${titles}`}]`, ...visitor.values()].join("\n");
}

/** Points of a series that are shown. */
const MAX_POINTS = 4_000;

/** Values of a series by their place. */
interface Series {
  readonly name: string[];
  readonly categories: string[];
  readonly values: string[];
}

const PARTS: ReadonlyMap<string, keyof Series> = new Map([
  ["tx", "name"],
  ["cat", "categories"],
  ["xVal", "categories"],
  ["val", "values"],
  ["yVal", "values"],
]);

class ChartVisitor implements XmlVisitor {
  readonly titles: string[] = [];
  readonly #numbers = new ShownNumbers(false);
  readonly #series: Series[] = [];
  #isSeries = false;
  #part: keyof Series | null = null;
  #place = 0;
  /** Format of the open list of numbers; null in one of texts. */
  #format: string | null = null;
  #text = "";
  #line = "";

  start(tag: Tag): void {
    const { name } = tag;
    this.#text = "";
    if (name === "ser") {
      this.#isSeries = true;
      this.#series.push({ name: [], categories: [], values: [] });
    } else if (PARTS.has(name)) {
      this.#part = PARTS.get(name) ?? null;
      this.#place = 0;
      this.#format = null;
    } else if (name === "numCache") this.#format = "";
    else if (name === "pt") this.#place = Number(attributeOf(tag, "idx"));
  }

  end(name: string): void {
    if (name === "ser") this.#isSeries = false;
    else if (name === "formatCode") this.#format = this.#text;
    else if (name === "v") this.#endValue();
    else if (name === "t") this.#line += this.#text;
    else if (name === "p") this.#endTitle(this.#line);
    else if (PARTS.has(name)) this.#part = null;
  }

  text(text: string): void {
    this.#text += text;
  }

  #endValue(): void {
    const series = this.#isSeries ? this.#series.at(-1) : undefined;
    if (series === undefined) this.#endTitle(this.#text);
    else if (this.#part !== null && this.#place < MAX_POINTS) series[this.#part][this.#place] ??= this.#shown();
  }

  #shown(): string {
    const number = Number(this.#text);
    return this.#format === null || Number.isNaN(number) ? this.#text : this.#numbers.text(number, this.#format);
  }

  /** Labels of single points have texts too; their values are in the series. */
  #endTitle(text: string): void {
    if (!this.#isSeries && text.trim() !== "") this.titles.push(text.trim());
    this.#line = "";
  }

  values(): string[] {
    let head = "";
    const lines: string[] = [];
    for (const { name, categories, values } of this.#series) {
      const above = csvLine(["", ...categories]);
      if (above !== head && categories.length > 0) lines.push(above);
      head = above;
      lines.push(csvLine([name[0], ...values]));
    }
    return lines;
  }
}
