import { htmlToMarkdown } from "@mdream/js";
import type { PageRequest } from "./request.ts";

/** What surrounds a page's content. */
const AROUND = ["nav", "footer", "aside", "form", "dialog"];
/** What is no text to read; the title is told apart. */
const UNREADABLE = ["title", "script", "style", "noscript", "template", "svg", "iframe", "canvas"];

/** Links and images that lead nowhere say nothing to a reader; everything else stays as it is. */
const CLEAN = { emptyLinks: true, emptyLinkText: true, emptyImages: true, selfLinkHeadings: true, blankLines: true };

/**
 * The page's content as Markdown, links absolute: its main part where it has one, without navigation
 * and the like. A page that is nothing but those is shown whole.
 */
export function markdownOf({ html, base }: PageRequest): string {
  const hasMain = /<main[\s>]/i.test(html);
  const content = convert(html, { base, exclude: [...UNREADABLE, ...AROUND], isolateMain: hasMain });
  return content.trim() === "" ? convert(html, { base, exclude: UNREADABLE, isolateMain: false }) : content;
}

interface Conversion {
  readonly base: string;
  readonly exclude: string[];
  readonly isolateMain: boolean;
}

function convert(html: string, { base, exclude, isolateMain }: Conversion): string {
  return htmlToMarkdown(html, { origin: base, clean: CLEAN, plugins: { filter: { exclude }, isolateMain } });
}

/** The text of the first `<title>`, entities as they stand in it decoded by the converter. */
export function titleOf({ html, base }: PageRequest): string {
  const title = /<title[^<>]*>([^<]{0,1000})/i.exec(html)?.[1] ?? "";
  return htmlToMarkdown(title, { origin: base, format: "text" }).replace(/\s+/g, " ").trim();
}
