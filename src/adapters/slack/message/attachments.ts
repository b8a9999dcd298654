import { colourNote } from "../../render/card-colour.ts";
import { hasUnknown, isFromEditor, textOfBlocks } from "./blocks.ts";
import { chosenIn, menu } from "./elements.ts";
import { button, joined, link, type Node, nodeOf, nodesIn, scalarText, textOf, time } from "./node.ts";

/** Slack's fallback text for an attachment with only blocks. */
const NO_PREVIEW = "[no preview available]";

/**
 * The message's text without attachments: the content of its blocks, or `text` if there are none. A message typed in
 * Slack's editor has the same content in both; a bot's `text` may be only a short version for notifications.
 */
export function ownText({ text, blocks, bot_id, user }: Node): string {
  const plain = textOf(text);
  const isByBot = textOf(bot_id) !== "" || textOf(user) === "";
  if (plain !== "" && !isByBot && isFromEditor(blocks)) return plain;
  return shownText(plain, blocks);
}

function shownText(plain: string, blocks: unknown): string {
  const shown = textOfBlocks(blocks);
  if (shown === "") return plain;
  return hasUnknown(blocks) && !shown.includes(plain) ? joined([plain, shown]) : shown;
}

/** The text of a forwarded message, a link preview or an integration's attachment. */
export function textOfAttachment(attachment: Node): string {
  const { pretext, title, title_link, footer, fallback, color } = attachment;
  const text = joined([
    textOf(pretext),
    source(attachment),
    link(textOf(title), textOf(title_link)),
    bodyOf(attachment),
    ...nodesIn(attachment.fields).map((field) => joined([textOf(field.title), scalarText(field.value)], ": ")),
    ...pictures(attachment),
    joined(nodesIn(attachment.actions).map(action), " "),
    joined([textOf(footer), isQuote(attachment) ? "" : time(attachment.ts)], " · "),
  ]);
  if (text !== "") return joined([text, colourNote(Number.parseInt(textOf(color).replace("#", ""), 16))]);
  const rest = textOf(fallback);
  return workObject(nodeOf(attachment.work_object_entity)) || (rest === NO_PREVIEW ? "" : rest);
}

/**
 * The card that shows an app's object, such as an issue, with the fields of its expanded form. Slack documents how apps
 * send it (Slack docs, Work Objects), but not its form within messages.
 */
function workObject({ external_url, layouts }: Node): string {
  const { compact, expanded } = nodeOf(layouts);
  const { title, subtitle, fields } = { ...nodeOf(compact), ...nodeOf(expanded) };
  const lines = nodesIn(nodeOf(fields).elements).map(({ label, rich_text: value }) => {
    const shown = textOfBlocks([value]);
    return shown === "" ? "" : joined([textOf(label), shown], ": ");
  });
  return joined([link(textOf(title), textOf(external_url)), textOf(subtitle), ...lines]);
}

function action(element: Node): string {
  return button(menu(joined([textOf(element.text), chosenIn(element).join(", ")], ": "), element), textOf(element.url));
}

/** Whether the attachment quotes a Slack message that was forwarded or linked. */
function isQuote({ is_share, is_msg_unfurl }: Node): boolean {
  return is_share === true || is_msg_unfurl === true;
}

/** Author of an attachment; for a quote, also where and when it was written. */
function source(attachment: Node): string {
  const { author_name, author_link, author_subname, service_name, channel_name, from_url } = attachment;
  const author = textOf(author_name) || textOf(author_subname);
  if (!isQuote(attachment)) {
    const account = author === textOf(author_subname) ? "" : textOf(author_subname);
    return joined([textOf(service_name), link(author, textOf(author_link)), account], " · ");
  }
  const where = textOf(channel_name) === "" ? "" : ` in #${textOf(channel_name)}`;
  const quoted = link(`${author || "Somebody"} wrote${where}`, textOf(from_url));
  return `${joined([quoted, time(attachment.ts)], ", ")}:`;
}

function bodyOf({ text, blocks, message_blocks }: Node): string {
  const quoted = nodesIn(message_blocks).flatMap((each) => nodesIn(nodeOf(each.message).blocks));
  return shownText(textOf(text), [...nodesIn(blocks), ...quoted]);
}

function pictures({ image_url, thumb_url }: Node): string[] {
  const url = textOf(image_url) || textOf(thumb_url);
  return url === "" ? [] : [`[image: ${link("", url)}]`];
}
