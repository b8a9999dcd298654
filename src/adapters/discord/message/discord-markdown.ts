import { dedented, type Fence, fenceAfterLine, LONGEST_MARKER } from "../../render/markdown/fences.ts";
import { mapOutsideSpans } from "../../render/markdown/prose.ts";

const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/u;
const SHOWN_RULE = "\u2500".repeat(12);
/** A heading below the three levels that Discord supports. */
const LOWER_HEADING = /^ {0,3}#{4,6}[ \t]+/u;
const LANGUAGE = /^[\w+\-.#]+$/u;
const FENCE_WITHIN = /^([ \t]*)`{3,}(?=[^`]*$)/u;
/**
 * `[words](address "title")`, with or without angle brackets around the address, or an image. After a letter, as in
 * `handlers[name](event)`, only a web address makes it a link.
 */
const LINK =
  /(?:(?<![\p{L}\p{N}_)\]\\])|(?=!?\[[^[\]\n]*\]\(<?https?:))!?\[([^[\]\n]*)\]\(<?([^()\s<>]*(?:\([^()\s<>]*\)[^()\s<>]*)*)>?(?:[ \t]+"[^"\n]*")?\)/giu;
const ADDRESS = /https?:\/\//iu;
/** A sign that occurs in the addresses of files, headings and people, but not in names in code. */
const PLACE = /[./#:]/u;
/** Bars between blanks, as in conditions. Bars that hide words stand next to the words. */
const BARS = /(?<=\s)\|\|(?=\s)/gu;

/**
 * Adapts Markdown to what Discord renders. It supports no rules, no headings below the third level, and no fences of
 * tildes or of more than three backticks. It shows the indentation of code blocks in lists, ends code at any three
 * backticks, and does not render links whose text contains an address or whose address is not on the web.
 */
export function toDiscordMarkdown(markdown: string): string {
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

/** Fences within code become tildes, which mean the same. */
function code(line: string, { indent }: Fence): string {
  return dedented(line, indent.length).replace(FENCE_WITHIN, "$1~~~").replaceAll("```", "`\u200b``");
}

function prose(line: string): string {
  if (RULE.test(line)) return SHOWN_RULE;
  const words = mapOutsideSpans(line, (text) => text.replaceAll(LINK, link).replaceAll(BARS, String.raw`\|\|`));
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
