import { choices, field, overflow } from "./elements.ts";
import { button, joined, link, mention, type Node, nodeOf, nodesIn, scalarText, textOf } from "./node.ts";
import { richText } from "./rich-text.ts";

/** Fields with text for readers, in reading order. They are also tried for unknown block types. */
const WORDS = [
  "author_name",
  "provider_name",
  "subtitle",
  "text",
  "body",
  "subtext",
  "label",
  "hint",
  "description",
  "caption",
];
/** Fields with nested blocks and elements. */
const INNER = [
  "hero_image",
  "rich_text_title",
  "details",
  "output",
  "sources",
  "fields",
  "elements",
  "child_blocks",
  "blocks",
  "tasks",
  "actions",
  // What a section shows beside its text, and the element of an input.
  "accessory",
  "element",
];
/** Maximum nesting depth of blocks that is read. */
const DEPTH = 6;
const ELEMENTS_OF_A_LINE = new Set(["actions", "context", "context_actions"]);

/** The text of blocks, in Slack's mrkdwn. */
export function textOfBlocks(blocks: unknown, depth = 0): string {
  if (depth > DEPTH) return "";
  return joined(nodesIn(blocks).map((block) => textOfBlock(block, depth)));
}

function textOfBlock(block: Node, depth: number): string {
  switch (block.type) {
    case "rich_text":
      return richText(block.elements);
    case "table":
    case "data_table":
      return joined([textOf(block.caption), ...rows(block.rows, depth)]);
    case "image":
      return image(block);
    case "context":
      return plain({ ...block, elements: nodesIn(block.elements).map(icon) }, depth);
    case "button":
    case "workflow_button":
    case "url":
      return button(textOf(block.text), textOf(block.url));
    case "overflow":
      return overflow(block);
    case "radio_buttons":
    case "checkboxes":
      return choices(block);
    case "call":
      return call(nodeOf(nodeOf(block.call).v1));
    case "rich_text_input":
      return textOfBlocks([block.initial_value], depth + 1) || field(block);
    case "data_visualization":
      return chart(textOf(block.title), nodeOf(block.chart));
    case "file":
    case "feedback_buttons":
    case "icon_button":
      return "";
    default:
      return plain(block, depth);
  }
}

function plain(block: Node, depth: number): string {
  const title = link(textOf(block.title), textOf(block.title_url) || textOf(block.video_url));
  const own = WORDS.map((key) => textOf(block[key]));
  const by = ELEMENTS_OF_A_LINE.has(String(block.type)) ? " " : "\n";
  const inner = INNER.map((key) => innerText(block[key], { depth: depth + 1, by }));
  return joined([joined([title, state(block)], " "), mention(block), ...own, field(block), ...inner]);
}

/** A task's state or an alert's level, shown as an icon. Source: Slack docs, Task card block, Alert block. */
function state({ type, status, level }: Node): string {
  const shown = textOf(type === "task_card" ? status : type === "alert" ? level : "");
  return shown === "" || shown === "default" ? "" : `[${shown.replaceAll("_", " ")}]`;
}

function innerText(value: unknown, { depth, by }: { readonly depth: number; readonly by: string }): string {
  if (depth > DEPTH || value === undefined) return "";
  const nodes = Array.isArray(value) ? nodesIn(value) : [nodeOf(value)];
  return joined(
    nodes.map((node) => textOfBlock(node, depth)),
    by,
  );
}

function rows(value: unknown, depth: number): string[] {
  if (!Array.isArray(value)) return [];
  return value.map((row: unknown) => {
    const cells = nodesIn(row).map((cell) => textOfBlock(cell, depth + 1) || scalarText(cell.value));
    return `| ${cells.map((cell) => cell.replaceAll("\n", " ")).join(" | ")} |`;
  });
}

function call({ name, display_id, join_url, has_ended, all_participants: people }: Node): string {
  const who = nodesIn(people).map((each) => mention({ user_id: each.slack_id }) || textOf(each.display_name));
  const what = joined([textOf(name), textOf(display_id), joined(who, ", ")], " · ");
  if (what === "" && textOf(join_url) === "") return "";
  return `[call${has_ended === true ? " that has ended" : ""}: ${link(what, textOf(join_url))}]`;
}

/** A chart as its figures, one line per series or for all segments. Source: Slack docs, data visualization block. */
function chart(title: string, { segments, series, axis_config: axes }: Node): string {
  const lines = nodesIn(series).map(({ name, data }) => joined([textOf(name), figures(data)], ": "));
  const { x_label, y_label } = nodeOf(axes);
  return joined([title, figures(segments), joined([textOf(x_label), textOf(y_label)], " / "), ...lines]);
}

function figures(points: unknown): string {
  return joined(
    nodesIn(points).map(({ label, value }) => joined([textOf(label), scalarText(value)], ": ")),
    ", ",
  );
}

/** Pictures between small print are icons, of which only the description says something. */
function icon(element: Node): Node {
  return { ...element, image_url: "" };
}

function image({ title, alt_text, image_url }: Node): string {
  const name = joined([textOf(title), textOf(alt_text)], ": ");
  return `[image: ${link(name, textOf(image_url))}]`;
}

/** Block types that are read completely. Others may have text in fields that are not known. */
const KNOWN = new Set([
  "actions",
  "alert",
  "call",
  "card",
  "carousel",
  "container",
  "context",
  "context_actions",
  "data_table",
  "divider",
  "file",
  "header",
  "image",
  "input",
  "markdown",
  "plan",
  "rich_text",
  "section",
  "table",
  "task_card",
  "video",
]);

export function hasUnknown(blocks: unknown): boolean {
  return nodesIn(blocks).some(({ type }) => typeof type !== "string" || !KNOWN.has(type));
}

/** Whether all blocks come from Slack's editor, so that `text` repeats their content. */
export function isFromEditor(blocks: unknown): boolean {
  return nodesIn(blocks).every(({ type }) => type === "rich_text");
}

/** Files stored in Slack, anywhere in the blocks: images, mentioned files, and files shown as cards. */
export function filesInBlocks(blocks: unknown, depth = 0): Node[] {
  if (depth > DEPTH) return [];
  return nodesIn(blocks).flatMap((block) => {
    const inner = INNER.flatMap((key) => {
      const value = block[key];
      return value === undefined ? [] : filesInBlocks(Array.isArray(value) ? value : [value], depth + 1);
    });
    return [...ownFile(block), ...inner];
  });
}

function ownFile({ type, slack_file, alt_text, title, file, file_id }: Node): Node[] {
  if (type === "file") return [{ id: file_id, title: textOf(title), ...nodeOf(file) }];
  const { id, url } = nodeOf(slack_file);
  const isHeld = type === "image" && (typeof id === "string" || typeof url === "string");
  return isHeld ? [{ id, url_private: url, name: textOf(alt_text) || textOf(title), mimetype: "image/*" }] : [];
}
