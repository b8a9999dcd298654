import { hasUnknown, isWritten, textOfBlocks } from "./blocks.ts";
import { button, joined, link, type Node, nodeOf, nodesIn, words } from "./node.ts";

/** What Slack puts where an attachment has only blocks. */
const NO_PREVIEW = "[no preview available]";

/** The words of a message beside those of its attachments: its text, or its blocks where these say more. */
export function ownText({ text, blocks }: Node): string {
  const plain = words(text);
  if (plain !== "" && isWritten(blocks)) return plain;
  const shown = textOfBlocks(blocks);
  if (shown === "") return plain;
  return hasUnknown(blocks) && !shown.includes(plain) ? joined([plain, shown]) : shown;
}

/** A message that is forwarded, a link that is shown, or what an integration has to say: each as one text. */
export function textOfAttachment(attachment: Node): string {
  const { pretext, title, title_link, footer, fallback } = attachment;
  const text = joined([
    words(pretext),
    source(attachment),
    link(words(title), words(title_link)),
    bodyOf(attachment),
    ...nodesIn(attachment.fields).map((field) => joined([words(field.title), words(field.value)], ": ")),
    ...pictures(attachment),
    joined(
      nodesIn(attachment.actions).map(({ text, url }) => button(words(text), words(url))),
      " ",
    ),
    words(footer),
  ]);
  const rest = words(fallback);
  return text === "" && rest !== NO_PREVIEW ? rest : text;
}

/** Whose words they are, and where they come from. */
function source(attachment: Node): string {
  const { author_name, author_link, author_subname, service_name, channel_name, from_url } = attachment;
  const author = words(author_name) || words(author_subname);
  if (attachment.is_share !== true && attachment.is_msg_unfurl !== true) {
    return joined([words(service_name), link(author, words(author_link))], " · ");
  }
  const where = words(channel_name) === "" ? "" : ` in #${words(channel_name)}`;
  const said = `${author || "Somebody"} wrote${where}`;
  return `${link(said, words(from_url))}:`;
}

function bodyOf({ text, blocks, message_blocks }: Node): string {
  const quoted = nodesIn(message_blocks).flatMap((each) => nodesIn(nodeOf(each.message).blocks));
  return ownText({ text, blocks: [...nodesIn(blocks), ...quoted] });
}

function pictures({ image_url, thumb_url }: Node): string[] {
  const url = words(image_url) || words(thumb_url);
  return url === "" ? [] : [`[image: ${link("", url)}]`];
}
