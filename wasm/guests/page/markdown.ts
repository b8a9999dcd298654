import { htmlToMarkdown } from "@mdream/js";
import type { PageRequest } from "./request.ts";

/** Elements around a page's content. */
const AROUND = ["nav", "footer", "aside", "form", "dialog"];
/** Elements that are no readable text; the title is returned separately. */
const UNREADABLE = ["title", "script", "style", "noscript", "template", "svg", "iframe", "canvas"];

/** Drops links and images that lead nowhere and say nothing to a reader. Everything else stays as it is. */
const CLEAN = { emptyLinks: true, emptyLinkText: true, emptyImages: true, selfLinkHeadings: true, blankLines: true };

/**
 * Converts a page's content to Markdown with absolute links: its main part, if it has one, without navigation and the
 * like. A page with nothing else is converted as a whole.
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

/** Text of the first `<title>`, with entities decoded by the converter. */
export function titleOf({ html, base }: PageRequest): string {
  const title = /<title[^<>]*>([^<]{0,1000})/i.exec(html)?.[1] ?? "";
  return htmlToMarkdown(title, { origin: base, format: "text" }).replace(/\s+/g, " ").trim();
}
