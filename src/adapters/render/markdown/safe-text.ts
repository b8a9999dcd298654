/**
 * Makes text from a model or a stranger harmless, as far as all platforms agree. What only one platform needs (escapes,
 * flags of its API) is in that adapter's format.ts.
 */

/** Has no width, so the words stay readable while the platform's parser no longer recognises its syntax. */
const ZERO_WIDTH_SPACE = "\u200b";

/** `@everyone`, `@here`, `@channel`: words that notify a whole channel on some platform, except in e-mail addresses. */
const MASS_MENTION = /(?<![\p{L}\p{N}])@(?=(?:everyone|here|channel)\b)/giu;

/**
 * Control sequences of Slack and Discord: `<!channel>`, `<!subteam^S1>`, `<!date^…>`, `<@U1>`, `<@!1>`, `<@&1>`,
 * `<#C1|name>`. Narrow on purpose: `<!DOCTYPE html>`, `#include <…>`, `List<@NonNull String>` and `<#if a>` must not
 * match.
 */
const CONTROL_SEQUENCE =
  /<(?=!(?:channel|here|everyone|group|subteam|date)\b|@[!&]?(?:[UWB]\w*|\d+)[|>]|#(?:[CDG]\w*|\d+)[|>])/giu;

/** Breaks all mentions, so that the text notifies nobody. */
export function withoutMentions(text: string): string {
  return text.replaceAll(MASS_MENTION, `@${ZERO_WIDTH_SPACE}`).replaceAll(CONTROL_SEQUENCE, `<${ZERO_WIDTH_SPACE}`);
}

/** Turns Markdown images into plain links, because fetching an image sends its server whatever the address contains. */
export function withoutImages(markdown: string): string {
  if (!markdown.includes("![")) return markdown;
  const definesReferences = markdown.includes("]:");
  // An image's description may contain brackets, escapes and line ends, but no empty line. Source: CommonMark, 2.1.
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
