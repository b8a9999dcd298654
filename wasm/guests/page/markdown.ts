import { htmlToMarkdown } from "@mdream/js";
import { mainPart } from "./main-part.ts";
import { omitElements } from "./omit-elements.ts";
import type { PageRequest } from "./request.ts";

/** Elements that are no readable text; the title is returned separately. */
const UNREADABLE = ["title", "script", "style", "template", "svg", "iframe", "canvas"];
/** Elements beside the text of a main part. Asides belong to it: many sites mark notes with them. */
const BESIDE_TEXT = ["nav", "footer", "dialog"];
/** Elements around a page's content. Some sites have a form around everything, so forms are content. */
const AROUND_CONTENT = [...BESIDE_TEXT, "aside"];

/** Drops links and images that lead nowhere and say nothing to a reader. Everything else stays as it is. */
const CLEAN = { emptyLinks: true, emptyLinkText: true, emptyImages: true, selfLinkHeadings: true, blankLines: true };

/** The converter fails on rows and cells outside a table, unless there has been one before. */
const A_TABLE = "<table></table>";

/** A main part shorter than this is compared with the whole page. Characters of Markdown. */
const SHORT = 1_000;
/** How many times as long the whole page is at most, if its main part is its content. */
const MAIN_SHARE = 10;

/**
 * Converts a page's content to Markdown with absolute links: its main part, if it has one, without navigation and the
 * like. If almost nothing would be left, more of the page is converted.
 */
export function markdownOf({ html, base }: PageRequest): string {
  // What is shown without scripts, which do not run here either.
  const page = html.replace(/<\/?noscript[^<>]*>/gi, "");
  const main = mainPart(page);
  const text = main === null ? "" : convert(main, base, BESIDE_TEXT);
  if (text.length >= SHORT) return text;
  const content = convert(page, base, AROUND_CONTENT);
  if (text.trim() !== "" && content.length <= MAIN_SHARE * text.length) return text;
  return content.trim() === "" ? convert(page, base, []) : content;
}

function convert(html: string, base: string, omitted: readonly string[]): string {
  const hooks = [omitElements(new Set([...UNREADABLE, ...omitted]))];
  return htmlToMarkdown(A_TABLE + html, { origin: base, clean: CLEAN, hooks });
}

/** Text of the first `<title>`, with entities decoded by the converter. */
export function titleOf({ html, base }: PageRequest): string {
  const title = /<title[^<>]*>([^<]{0,1000})/i.exec(html)?.[1] ?? "";
  return htmlToMarkdown(title, { origin: base, format: "text" }).replace(/\s+/g, " ").trim();
}
