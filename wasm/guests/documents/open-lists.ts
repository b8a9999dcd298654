import { listIndent } from "./document-writer.ts";
import { numeral } from "./numbering.ts";
import { visitStarts } from "./package-files.ts";
import { attributeOf, type Tag } from "./xml.ts";

interface Level {
  /** Such as "1" or "a"; "" for a bullet. */
  readonly format: string;
  readonly suffix: string;
  readonly start: number;
}

/** The marks of an OpenDocument text's lists. Source: OASIS OpenDocument 1.3, part 3, 16.30 and 5.3. */
export class OpenLists {
  readonly #levels = new Map<string, Level>();
  /** Styles of the open lists. */
  readonly #open: string[] = [];
  readonly #counters = new Map<number, number>();

  constructor(xml: Iterable<string>) {
    let style = "";
    visitStarts(xml, (tag) => {
      if (tag.name === "list-style") style = attributeOf(tag, ":name") ?? "";
      else if (tag.name === "list-level-style-number") {
        const format = attributeOf(tag, "num-format") ?? "";
        const suffix = attributeOf(tag, "num-suffix") ?? "";
        const start = Number(attributeOf(tag, "start-value") ?? 1);
        this.#levels.set(`${style} ${attributeOf(tag, "level")}`, { format, suffix, start });
      }
    });
  }

  start(tag: Tag): void {
    this.#open.push(attributeOf(tag, "style-name") ?? this.#open.at(-1) ?? "");
    const isContinued = attributeOf(tag, "continue-numbering") === "true" || attributeOf(tag, "continue-list") !== null;
    if (!isContinued) this.#counters.delete(this.#open.length);
  }

  end(): void {
    this.#open.pop();
  }

  /** What the first paragraph of an item begins with. */
  next(item: Tag): string {
    const depth = this.#open.length;
    const level = this.#levels.get(`${this.#open.at(-1)} ${depth}`);
    const next = (this.#counters.get(depth) ?? (level?.start ?? 1) - 1) + 1;
    const count = Number(attributeOf(item, "start-value") ?? next);
    this.#counters.set(depth, count);
    const isBullet = level === undefined || level.format === "";
    return `${listIndent(depth - 1)}${isBullet ? "-" : numeral(count, level.format) + level.suffix} `;
  }
}
