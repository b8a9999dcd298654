/**
 * Text of a model or a stranger, made harmless where every platform agrees. What only one platform
 * knows (escapes, flags of its API) is in that adapter's format.ts.
 */

/** Zero width: the words stay readable, the platform's parser no longer sees its own syntax. */
const ZERO_WIDTH_SPACE = "\u200b";

/** `@everyone`, `@here`, `@channel`: words that notify a whole channel on some platform. In an e-mail address they are none. */
const MASS_MENTION = /(?<![\p{L}\p{N}])@(?=(?:everyone|here|channel)\b)/giu;

/**
 * `<!channel>`, `<!subteam^S1>`, `<!date^…>`, `<@U1>`, `<@!1>`, `<@&1>`, `<#C1|name>`: control sequences of Slack and
 * Discord. Narrow on purpose: `<!DOCTYPE html>`, `#include <…>`, `List<@NonNull String>` and `<#if a>` must survive being copied.
 */
const CONTROL_SEQUENCE =
  /<(?=!(?:channel|here|everyone|group|subteam|date)\b|@[!&]?(?:[UWB]\w*|\d+)[|>]|#(?:[CDG]\w*|\d+)[|>])/giu;

/** Nothing in the result notifies anybody. */
export function withoutMentions(text: string): string {
  return text.replaceAll(MASS_MENTION, `@${ZERO_WIDTH_SPACE}`).replaceAll(CONTROL_SEQUENCE, `<${ZERO_WIDTH_SPACE}`);
}

/** Markdown images as plain links: an image that is fetched tells its server whatever its address says. */
export function withoutImages(markdown: string): string {
  if (!markdown.includes("![")) return markdown;
  const definesReferences = markdown.includes("]:");
  // What an image shows in its place may hold brackets, escapes and line ends, but no empty line. Source: CommonMark, 2.1.
  return markdown
    .split(/(\n[ \t\r]*(?=\n))/u)
    .map((paragraph) => {
      const lastEnd = definesReferences
        ? paragraph.length
        : Math.max(paragraph.lastIndexOf("]("), paragraph.lastIndexOf("]["));
      return paragraph.replaceAll(/(?<!!)!+(?=\[)/gu, (marks, at: number) => (at < lastEnd ? "" : marks));
    })
    .join("");
}
