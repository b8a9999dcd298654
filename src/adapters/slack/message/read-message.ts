import type { Attachment } from "../../../core/protocol/platform.ts";
import type { Directory } from "../directory.ts";
import { MESSAGE_CHARS } from "../limits.ts";
import { ownText, textOfAttachment } from "./attachments.ts";
import { filesInBlocks } from "./blocks.ts";
import { joined, type Node, nodesIn, words } from "./node.ts";
import { huddle, pinned } from "./notices.ts";
import { filesOf, MOST_FILES, withFileNames } from "./shared-files.ts";
import { channelsIn, mentionedIn, readableText, withoutMentionOf } from "./text.ts";

/** What a message says and brings, as the model may have it. */
export interface ReadMessage {
  /** Its own words. */
  readonly text: string;
  /** What it forwards, shows of links, or holds as attachments: each as one text that says whose it is. */
  readonly quoted: readonly string[];
  readonly files: readonly Attachment[];
}

/** People and channels of one message that are looked up by name. */
const NAMES = 40;

/**
 * Any message: of a person, of an integration, pushed or read. What is not known of it is passed over.
 * `botUserId`: whose mention is left out, where it is how the bot is called.
 */
export async function readMessage(
  came: Node,
  { directory, botUserId }: { readonly directory: Directory; readonly botUserId: string | null },
): Promise<ReadMessage> {
  const message = await withTheirFiles(came, directory);
  const { files, lines } = filesOf(message);
  const said = withFileNames(ownText(message).slice(0, MESSAGE_CHARS), message);
  const own = joined([botUserId === null ? said : withoutMentionOf(said, botUserId), huddle(message), ...lines]);
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
 * Files of other workspaces come by id alone, and so may those of a mention, of which only its words tell. Source: Slack docs,
 * File object, Slack Connect files; NousResearch/hermes-agent#77141.
 */
async function withTheirFiles(message: Node, directory: Directory): Promise<Node> {
  const brought = nodesIn(message.files);
  const named = filesInBlocks(message.blocks).filter((file) => !brought.some(({ id }) => id === file.id));
  const files = [...brought, ...named];
  if (!files.some(isBare)) return message;
  const asked = files
    .slice(0, MOST_FILES)
    .map(async (file) => (isBare(file) ? { ...file, ...(await directory.file(words(file.id))) } : file));
  return { ...message, files: await Promise.all(asked) };
}

function isBare({ id, name, mimetype, mode, file_access: access }: Node): boolean {
  return words(id) !== "" && words(name) === "" && (access === "check_file_info" || (mode ?? mimetype) === undefined);
}

/** As many characters as are read of one message, from its beginning; the first of the texts stays, were it empty. */
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
