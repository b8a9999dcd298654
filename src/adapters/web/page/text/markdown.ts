import MarkdownIt, { type Token } from "markdown-it";
import { drawSigns, nameSigns } from "./signs.ts";

/**
 * Renders a model's text as safe HTML: no HTML of its own, no images (the browser would fetch them from
 * any address in the text), and only web and mail links, which open in a new window.
 */
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });
markdown.disable("image");
// Only addresses with a scheme: config.rs and read.me are files, not sites.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (url) => /^(?:https?:|mailto:)/iu.test(url.trim()) || isOfPage(url);

markdown.core.ruler.push("tame", ({ tokens }) => {
  for (const token of tokens) for (const part of [token, ...(token.children ?? [])]) tame(part);
});

/** Renders `- [x] done` with a box in place of the list marker. */
markdown.core.ruler.push("tasks", ({ tokens }) => {
  for (const [index, { type, children }] of tokens.entries()) {
    const item = tokens[index - 2];
    const words = children?.[0];
    const mark = /^\[([ xX])\] /u.exec(words?.content ?? "");
    if (type !== "inline" || item?.type !== "list_item_open" || words?.type !== "text" || mark === null) continue;
    words.content = `${mark[1] === " " ? "☐" : "✓"} ${words.content.slice(mark[0].length)}`;
    item.attrJoin("class", "task");
  }
});

/** Whether a link leads to a thread (`#<id>`) or a section (`#/<name>`) of this page. */
function isOfPage(url: string): boolean {
  return /^#\/?[\w-]+$/u.test(url);
}

function tame(token: Token): void {
  if (token.type === "link_open" && !isOfPage(String(token.attrGet("href")))) {
    token.attrSet("target", "_blank");
    token.attrSet("rel", "noopener noreferrer nofollow");
  }
  // The content security policy forbids style attributes: a cell's alignment becomes a class.
  const align = /^text-align:(left|center|right)$/u.exec(String(token.attrGet("style") ?? ""))?.[1];
  if (align !== undefined) token.attrs = [["class", `align-${align}`]];
}

const { rules } = markdown.renderer;
rules.text = (tokens, index) => drawSigns(markdown.utils.escapeHtml(tokens[index]?.content ?? ""));
rules.table_open = () => `<div class="table" tabindex="0" role="region" aria-label="Table"><table>\n`;
rules.table_close = () => "</table></div>\n";

rules.fence = (tokens, index) => {
  const token = tokens[index];
  return code(token?.content ?? "", token?.info.trim().split(/\s+/u)[0] ?? "");
};
rules.code_block = (tokens, index) => code(tokens[index]?.content ?? "", "");

function code(text: string, language: string): string {
  const escape = markdown.utils.escapeHtml;
  const isDiff = language === "diff";
  const lines = text.replace(/(?<!\n)\n+$/u, "").split("\n");
  const body = isDiff ? lines.map(diffLine).join("") : escape(text);
  const label = isDiff ? diffLabel(lines) : language === "" ? "Code" : `Code, ${language}`;
  return [
    `<div class="code${language === "" ? " bare" : ""}"><div class="code-head"><span>${escape(language)}</span>`,
    `<button type="button" class="copy" data-copy>Copy</button></div>`,
    `<pre tabindex="0" role="region" aria-label="${escape(label)}"><code${isDiff ? ' class="diff"' : ""}>${body}</code></pre></div>\n`,
  ].join("");
}

/** Renders a line as a block that keeps its line feed, so that the text is copied unchanged. */
function diffLine(line: string): string {
  const text = `${markdown.utils.escapeHtml(line)}\n`;
  if (line.startsWith("+")) return `<ins>${text}</ins>`;
  if (line.startsWith("-")) return `<del>${text}</del>`;
  return `<span${line.startsWith("@@") ? ' class="hunk"' : ""}>${text}</span>`;
}

function diffLabel(lines: readonly string[]): string {
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return `Changes: ${count("+")} added, ${count("-")} removed`;
}

export function renderMarkdown(text: string): string {
  return markdown.render(text);
}

/** One line of Markdown, without a paragraph around it. */
export function renderInline(text: string): string {
  return markdown.renderInline(text);
}

/** Returns the text of Markdown without its markup, for screen readers. */
export function plainText(text: string): string {
  return nameSigns(markdown.parse(text, {}).map(spoken).join(" ")).replaceAll(/\s+/gu, " ").trim();
}

function spoken({ type, info, content, children }: Token): string {
  if (children !== null) return children.map(spoken).join("");
  if (type === "softbreak" || type === "hardbreak") return " ";
  if (type !== "fence" && type !== "code_block") return content;
  return info.trim() === "diff" ? `${diffLabel(content.split("\n"))}.` : "code";
}
