import { joined, link, mention, type Node, nodeOf, nodesIn, textOf } from "./node.ts";
import { escaped } from "./text.ts";

/** Source: Slack docs, Rich text block. */
const STYLES = [
  ["code", "`"],
  ["strike", "~"],
  ["italic", "_"],
  ["bold", "*"],
] as const;

/** The content of Slack's editor, in mrkdwn. */
export function richText(elements: unknown): string {
  return joined(nodesIn(elements).map(section));
}

function section(element: Node): string {
  const inner = inline(element.elements);
  switch (element.type) {
    case "rich_text_preformatted":
      return `\`\`\`\n${inner}\n\`\`\``;
    case "rich_text_quote":
      return inner
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n");
    case "rich_text_list":
      return list(element);
    default:
      return inner;
  }
}

function list({ elements, style, indent, offset }: Node): string {
  const before = "  ".repeat(numberOf(indent));
  const first = numberOf(offset) + 1;
  return nodesIn(elements)
    .map((item, index) => `${before}${style === "ordered" ? `${first + index}.` : "-"} ${inline(item.elements)}`)
    .join("\n");
}

/** A nesting depth or offset, bounded; Slack nests lists up to eight deep. */
function numberOf(value: unknown): number {
  return typeof value === "number" && value > 0 && value < 1_000 ? Math.floor(value) : 0;
}

/** Maximum nesting depth of elements that is read. */
const DEPTH = 6;

function inline(elements: unknown, depth = 0): string {
  if (depth > DEPTH) return "";
  return nodesIn(elements)
    .map((element) => piece(element, depth))
    .join("");
}

function piece(element: Node, depth: number): string {
  switch (element.type) {
    case "text":
      return styled(escaped(raw(element.text)), element);
    case "link":
      return link(escaped(textOf(element.text)), textOf(element.url));
    case "broadcast":
      return `<!${textOf(element.range)}>`;
    case "emoji":
      return `:${textOf(element.name)}:`;
    case "date":
      return date(element);
    case "color":
      return textOf(element.value);
    case "file":
      return `[file: ${escaped(textOf(element.title) || textOf(element.file_id))}]`;
    default:
      return other(element, depth);
  }
}

function date({ timestamp, format, url, fallback }: Node): string {
  const [form, address, otherwise] = [format, url, fallback].map((part) =>
    escaped(textOf(part)).replaceAll(/[|^]/gu, " "),
  );
  return `<!date^${String(timestamp)}^${form}^${address}|${otherwise}>`;
}

/** Mentions and unknown elements, read by the usual fields. */
function other(element: Node, depth: number): string {
  const named = link(escaped(raw(element.text) || textOf(element.name) || textOf(element.title)), textOf(element.url));
  return mention(element) || named || inline(element.elements, depth + 1);
}

function raw(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Adds marks of style inside the surrounding blanks, since marks next to blanks have no effect. */
function styled(text: string, element: Node): string {
  const style = nodeOf(element.style);
  const core = text.trim();
  if (core === "") return text;
  let marked = core;
  for (const [name, mark] of STYLES) if (style[name] === true) marked = `${mark}${marked}${mark}`;
  const before = text.length - text.trimStart().length;
  return `${text.slice(0, before)}${marked}${text.slice(before + core.length)}`;
}
