import { type ShownLines, shownLines } from "../shown-lines.ts";
import { Refusal, type Workspace } from "../workspace.ts";
import type { ReadRequest } from "./request.ts";

/** Maximum bytes of an image: providers accept 5 MB of base64 (Anthropic's Messages API). */
const IMAGE_BYTES = 3_932_160;
/** Maximum bytes of a document, small enough for every request of a conversation to include a PDF. */
const DOCUMENT_BYTES = 6_291_456;

export type ReadReply =
  | ({ readonly type: "text"; readonly sha256: string } & ShownLines)
  | { readonly type: "media"; readonly mediaType: string; readonly base64: string; readonly sha256: string };

export function read(workspace: Workspace, request: ReadRequest): ReadReply {
  const { path } = request;
  const facts = workspace.inspect(path);
  if (facts.kind === "missing") throw new Refusal(`${path} does not exist. Look for it with glob.`);
  if (facts.kind === "directory") throw new Refusal(`${path} is a directory. List it with glob, e.g. "${path}/*".`);
  return facts.mediaType === "" ? readText(workspace, request) : readMedia(workspace, path, facts);
}

function readMedia(workspace: Workspace, path: string, facts: { mediaType: string; size: number }): ReadReply {
  const { mediaType, size } = facts;
  const limit = mediaType.startsWith("image/") ? IMAGE_BYTES : DOCUMENT_BYTES;
  if (size > limit) throw new Refusal(`${path} is too large to show: ${size} bytes of ${mediaType}, limit ${limit}.`);
  const { base64, sha256 } = workspace.readEncoded(path);
  return { type: "media", mediaType, base64, sha256 };
}

function readText(workspace: Workspace, request: ReadRequest): ReadReply {
  const { text, totalLines, sha256, wellFormed } = workspace.readLines(request.path, request.offset, request.limit);
  const replaced = "[Not valid UTF-8: undecodable bytes are shown as \uFFFD, and edit refuses the file.]";
  const notes = wellFormed ? [] : [replaced];
  return { type: "text", sha256, ...shownLines({ text, totalLines, notes }, request) };
}
