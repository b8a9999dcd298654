import type { ReadMessage } from "../../render/read-message.ts";
import type { Directory } from "../directory.ts";
import { MESSAGE_CHARS } from "../limits.ts";
import { ownText, textOfAttachment } from "./attachments.ts";
import { filesInBlocks } from "./blocks.ts";
import { joined, type Node, nodesIn, textOf } from "./node.ts";
import { huddle, pinned } from "./notices.ts";
import { filesOf, MAX_FILES, withFileNames } from "./shared-files.ts";
import { channelsIn, mentionedIn, readableText, withoutMentionOf } from "./text.ts";

/** Maximum number of people, and of channels, looked up by name for one message. */
const NAMES = 40;

/**
 * Reads any message, from a person or an integration. Unknown parts are skipped. `botUserId`: the bot's mention to
 * remove, since it only addresses the bot.
 */
export async function readMessage(
  came: Node,
  { directory, botUserId }: { readonly directory: Directory; readonly botUserId: string | null },
): Promise<ReadMessage> {
  const message = await withFullFiles(came, directory);
  const { files, lines } = filesOf(message);
  const bodyText = withFileNames(ownText(message).slice(0, MESSAGE_CHARS), message);
  const own = joined([
    botUserId === null ? bodyText : withoutMentionOf(bodyText, botUserId),
    huddle(message),
    ...lines,
  ]);
  const quoted = [...nodesIn(message.attachments).map(textOfAttachment), pinned(message)];
  const [text = "", ...others] = bounded([own, ...quoted.filter((each) => each !== "")]);
  const written = joined([text, ...others]);
  const [people, channels] = await Promise.all([
    directory.namesOf(mentionedIn(written).slice(0, NAMES)),
    directory.channelNames(channelsIn(written).slice(0, NAMES)),
  ]);
  const names = { people, channels };
  return { text: readableText(text, names), quoted: others.map((each) => readableText(each, names)), files };
}

/**
 * Completes files that arrive only as an id: those of other workspaces, and mentioned ones. Source: Slack docs, File
 * object, Slack Connect files; NousResearch/hermes-agent#77141.
 */
async function withFullFiles(message: Node, directory: Directory): Promise<Node> {
  const brought = nodesIn(message.files);
  const named = filesInBlocks(message.blocks).filter((file) => !brought.some(({ id }) => id === file.id));
  const files = [...brought, ...named];
  if (!files.some(needsLookup)) return message;
  const asked = files
    .slice(0, MAX_FILES)
    .map(async (file) => (needsLookup(file) ? { ...file, ...(await directory.file(textOf(file.id))) } : file));
  return { ...message, files: await Promise.all(asked) };
}

function needsLookup({ id, name, mimetype, mode, file_access: access }: Node): boolean {
  return textOf(id) !== "" && textOf(name) === "" && (access === "check_file_info" || (mode ?? mimetype) === undefined);
}

/** Limits the texts of one message to MESSAGE_CHARS together. The first one stays even if it is empty. */
function bounded([first = "", ...rest]: readonly string[]): string[] {
  const kept = [first.slice(0, MESSAGE_CHARS).toWellFormed()];
  let left = MESSAGE_CHARS - first.length;
  for (const text of rest) {
    if (left <= 0) break;
    kept.push(text.slice(0, left).toWellFormed());
    left -= text.length;
  }
  return kept;
}
