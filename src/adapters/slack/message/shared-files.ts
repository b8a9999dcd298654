import type { Attachment } from "../../../core/platform/inbound.ts";
import { filesInBlocks } from "./blocks.ts";
import { joined, link, type Node, nodeOf, nodesIn, textOf } from "./node.ts";

/** Media type of a canvas, which Slack serves as a web page. Source: Slack docs, File object. */
export const CANVAS = "application/vnd.slack-docs";
/** Media type of a list, whose rows are not in the file; reading them takes a scope of its own. */
const LIST = "application/vnd.slack-list";
/** Maximum number of files taken from one message. */
export const MAX_FILES = 20;

export interface SharedFiles {
  readonly files: readonly Attachment[];
  /** One line for each file that cannot be opened or that has text to show. */
  readonly lines: readonly string[];
}

/** The files of a message, of the messages that it forwards, and of its blocks. */
export function filesOf(message: Node): SharedFiles {
  const attachments = nodesIn(message.attachments);
  const found = [
    ...nodesIn(message.files),
    ...attachments.flatMap(({ files }) => nodesIn(files)),
    ...[message, ...attachments].flatMap(({ blocks }) => filesInBlocks(blocks)),
    ...attachments.flatMap(({ message_blocks }) => nodesIn(message_blocks)).flatMap(nestedFiles),
    ...nestedFiles(nodeOf(message.item)),
  ];
  // Keeps the first file with an id, since a file's mention in a block has fewer details than the file itself.
  const once = new Map<string, Node>();
  for (const file of found) {
    const key = textOf(file.id) || textOf(file.url_private);
    if (key !== "" && !once.has(key)) once.set(key, file);
  }
  const known = [...once.values()].slice(0, MAX_FILES);
  return { files: known.filter(isHere).flatMap(attachmentsOf), lines: known.map(lineOf).filter((line) => line !== "") };
}

function nestedFiles(each: Node): Node[] {
  return nodesIn(nodeOf(each.message).files);
}

/** False if the file is deleted, hidden by the plan's limits, stored in another service, or a list. */
function isHere({ mode, is_external, mimetype }: Node): boolean {
  return mode !== "tombstone" && mode !== "hidden_by_limit" && is_external !== true && mimetype !== LIST;
}

/** Replaces the ids by which Slack writes mentioned files into the text with their names. */
export function withFileNames(text: string, { files }: Node): string {
  const names = new Map(nodesIn(files).map((file) => [textOf(file.id), nameOf(file)]));
  return text.replaceAll(FILE_ID, (found) => names.get(found) ?? found);
}

/** A file id that is not part of an address. */
const FILE_ID = /(?<![\w/])F[A-Z0-9]{2,20}(?!\w)/gu;

function nameOf(file: Node): string {
  const name = file.mimetype === CANVAS || file.mimetype === LIST ? textOf(file.title) : "";
  return name || textOf(file.name) || textOf(file.title) || textOf(file.id);
}

function attachmentsOf(file: Node): Attachment[] {
  const id = textOf(file.id);
  const mediaType = textOf(file.mimetype) || "application/octet-stream";
  const url = textOf(file.url_private_download) || textOf(file.url_private);
  const size = typeof file.size === "number" ? file.size : 0;
  // Files of other workspaces have no address. A canvas is asked for by id, which gives better errors than its page.
  const ref = mediaType === CANVAS ? id || url : url || id;
  const own = { name: nameOf(file), mediaType, size, ref };
  const vtt = textOf(file.vtt);
  return isCut(file) && vtt !== ""
    ? [own, { name: `${own.name}.vtt`, mediaType: "text/vtt", size: 0, ref: vtt }]
    : [own];
}

function isCut(file: Node): boolean {
  return nodeOf(nodeOf(file.transcription).preview).has_more === true;
}

function lineOf(file: Node): string {
  const name = nameOf(file);
  if (file.mode === "tombstone") return "[a file that was deleted]";
  if (file.mode === "hidden_by_limit") return `[file: ${name}, which the workspace's plan hides]`;
  if (file.mimetype === LIST) return `[list: ${link(name, textOf(file.permalink))}]`;
  if (file.is_external === true) return `[file: ${link(name, textOf(file.url_private))}]`;
  if (file.subtype === "slack_audio" || file.subtype === "slack_video") return clip(file);
  if (file.filetype === "email") return email(file);
  return about(file, name);
}

/** Title and description of a file, as far as they add to its name, which is shown with all files. */
function about({ title, alt_txt }: Node, name: string): string {
  const more = [textOf(title), textOf(alt_txt)].filter((text) => text !== name && !name.startsWith(`${text}.`));
  const description = joined(more, "; ");
  return description === "" ? "" : `[${name}: ${description}]`;
}

/** A voice or video message with Slack's transcript. */
function clip(file: Node): string {
  const kind = file.subtype === "slack_audio" ? "voice message" : "video message";
  const { status, preview } = nodeOf(file.transcription);
  const previewText = textOf(nodeOf(preview).content);
  if (previewText === "" && status === "processing") return `[${kind}, which Slack has not written down yet]`;
  if (previewText === "") return `[${kind}, not written down by Slack]`;
  return `[${kind}, as Slack wrote it down: ${previewText}${isCut(file) ? "…" : ""}]`;
}

function email({ subject, title, from, plain_text, preview_plain_text }: Node): string {
  const senders = nodesIn(from).map(({ original, address }) => textOf(original) || textOf(address));
  return joined([
    `[email${senders.length === 0 ? "" : ` from ${senders.join(", ")}`}: ${textOf(subject) || textOf(title)}]`,
    textOf(plain_text) || textOf(preview_plain_text),
  ]);
}
