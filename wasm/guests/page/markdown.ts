import { htmlToMarkdown } from "@mdream/js";
import { mainPart } from "./main-part.ts";
import type { PageRequest } from "./request.ts";

/** Elements that are no readable text; the title is returned separately. */
const UNREADABLE = ["title", "script", "style", "noscript", "template", "svg", "iframe", "canvas"];
/** Elements beside the text of a main part. Asides belong to it: many sites mark notes with them. */
const BESIDE_TEXT = ["nav", "footer", "dialog"];
/** Elements around a page's content. Some sites have a form around everything, so forms are content. */
const AROUND_CONTENT = [...BESIDE_TEXT, "aside"];

/** Drops links and images that lead nowhere and say nothing to a reader. Everything else stays as it is. */
const CLEAN = { emptyLinks: true, emptyLinkText: true, emptyImages: true, selfLinkHeadings: true, blankLines: true };

/** The converter fails on rows and cells outside a table, unless there has been one before. */
const A_TABLE = "<table></table>";

/**
 * Converts a page's content to Markdown with absolute links: its main part, if it has one, without navigation and the
 * like. A page with nothing else is converted as a whole.
 */
export function markdownOf({ html, base }: PageRequest): string {
  const main = mainPart(html);
  const text = main === null ? "" : convert(main, base, BESIDE_TEXT);
  if (text.trim() !== "") return text;
  const content = convert(html, base, AROUND_CONTENT);
  return content.trim() === "" ? convert(html, base, []) : content;
}

function convert(html: string, base: string, omitted: readonly string[]): string {
  const exclude = [...UNREADABLE, ...omitted];
  return htmlToMarkdown(A_TABLE + html, { origin: base, clean: CLEAN, plugins: { filter: { exclude } } });
}

/** Text of the first `<title>`, with entities decoded by the converter. */
export function titleOf({ html, base }: PageRequest): string {
  const title = /<title[^<>]*>([^<]{0,1000})/i.exec(html)?.[1] ?? "";
  return htmlToMarkdown(title, { origin: base, format: "text" }).replace(/\s+/g, " ").trim();
}
