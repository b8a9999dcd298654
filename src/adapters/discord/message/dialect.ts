import { dedented, type Fence, fenceAfterLine, LONGEST_MARKER } from "../../render/markdown/fences.ts";
import { besideCode } from "../../render/markdown/prose.ts";

const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/u;
const SHOWN_RULE = "\u2500".repeat(12);
/** Discord knows headings of three levels. */
const LOWER_HEADING = /^ {0,3}#{4,6}[ \t]+/u;
const LANGUAGE = /^[\w+\-.#]+$/u;
const FENCE_WITHIN = /^([ \t]*)`{3,}(?=[^`]*$)/u;
/**
 * `[words](address "title")`, with its address in angle brackets or not; of an image, its sign, too. Behind a letter it is none
 * but of the web: `handlers[name](event)`.
 */
const LINK =
  /(?:(?<![\p{L}\p{N}_)\]\\])|(?=!?\[[^[\]\n]*\]\(<?https?:))!?\[([^[\]\n]*)\]\(<?([^()\s<>]*(?:\([^()\s<>]*\)[^()\s<>]*)*)>?(?:[ \t]+"[^"\n]*")?\)/giu;
const ADDRESS = /https?:\/\//iu;
/** Files, headings and people have such signs in their addresses, and names in code have none. */
const PLACE = /[./#:]/u;
/** As in conditions: who means to hide words writes the bars beside them. */
const BARS = /(?<=\s)\|\|(?=\s)/gu;

/**
 * Markdown as Discord draws it. It has no rules, no lower headings, no fences of tildes or of more than three backticks; it
 * shows the white space before a code block in a list, ends code at any three backticks, and shows links as they are written
 * whose words hold an address or whose address is none of the web.
 */
export function inDialect(markdown: string): string {
  let fence: Fence | null = null;
  const shown: string[] = [];
  for (const line of markdown.split("\n")) {
    const before: Fence | null = fence;
    fence = fenceAfterLine(before, line, LONGEST_MARKER);
    if (before === null && fence === null) shown.push(prose(line));
    else if (before === null)
      shown.push(`\`\`\`${LANGUAGE.test(fence?.language ?? "") ? (fence?.language ?? "") : ""}`);
    else shown.push(fence === null ? "```" : code(line, before));
  }
  return shown.join("\n");
}

/** Fences within code become such of tildes, which mean the same. */
function code(line: string, { indent }: Fence): string {
  return dedented(line, indent.length).replace(FENCE_WITHIN, "$1~~~").replaceAll("```", "`\u200b``");
}

function prose(line: string): string {
  if (RULE.test(line)) return SHOWN_RULE;
  const words = besideCode(line, (text) => text.replaceAll(LINK, link).replaceAll(BARS, String.raw`\|\|`));
  return LOWER_HEADING.test(words) ? `**${words.replace(LOWER_HEADING, "").replaceAll("**", "").trim()}**` : words;
}

function link(written: string, words: string, address: string): string {
  const isWeb = ADDRESS.test(address);
  if (words !== "" && isWeb && !ADDRESS.test(words)) return `[${words}](${address})`;
  if (!PLACE.test(address)) return written;
  if (address.startsWith("#")) return words;
  const shown = address.replace(/^mailto:/iu, "");
  return words === shown || words === "" ? shown : `${words} (${shown})`;
}
