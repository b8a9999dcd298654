import { Refusal, type Window, type Workspace } from "../workspace.ts";
import { cutLine, linesOf } from "./lines.ts";
import type { ReadRequest } from "./request.ts";

/** Maximum characters of a displayed line. */
const LINE_CHARS = 2_000;
/** Maximum characters of one answer, which must leave room for others in the tool-result budget. */
const ANSWER_CHARS = 40_000;
/** Maximum bytes of an image: providers accept 5 MB of base64 (Anthropic's Messages API). */
const IMAGE_BYTES = 3_932_160;
/** Maximum bytes of a PDF, small enough for every request of a conversation to include it. */
const PDF_BYTES = 6_291_456;

export type ReadReply =
  | { readonly type: "text"; readonly text: string; readonly summary: string; readonly sha256: string }
  | { readonly type: "media"; readonly mediaType: string; readonly base64: string; readonly sha256: string };

export function read(workspace: Workspace, request: ReadRequest): ReadReply {
  const { path } = request;
  const facts = workspace.inspect(path);
  if (facts.kind === "missing") throw new Refusal(`${path} does not exist. Look for it with glob.`);
  if (facts.kind === "directory") throw new Refusal(`${path} is a directory. List it with glob, e.g. "${path}/*".`);
  if (facts.mediaType !== "") return readMedia(workspace, path, facts);
  return readText(workspace, request);
}

function readMedia(workspace: Workspace, path: string, facts: { mediaType: string; size: number }): ReadReply {
  const { mediaType, size } = facts;
  if (mediaType === "application/octet-stream") {
    throw new Refusal(`${path} is a binary file (${size} bytes); read shows text, PNG, JPEG, GIF, WebP and PDF.`);
  }
  const limit = mediaType === "application/pdf" ? PDF_BYTES : IMAGE_BYTES;
  if (size > limit) throw new Refusal(`${path} is too large to show: ${size} bytes of ${mediaType}, limit ${limit}.`);
  const { base64, sha256 } = workspace.readEncoded(path);
  return { type: "media", mediaType, base64, sha256 };
}

function readText(workspace: Workspace, { path, offset, limit }: ReadRequest): ReadReply {
  const window = workspace.readLines(path, offset, limit);
  const { totalLines, sha256 } = window;
  if (totalLines === 0) return { type: "text", text: `${path} is empty.`, summary: "empty", sha256 };
  if (offset > totalLines) {
    throw new Refusal(`${path} has ${totalLines} lines; offset ${offset} is past its end.`);
  }
  const shown = numbered(window, offset);
  const end = offset + shown.length - 1;
  const notes: string[] = [];
  if (!window.wellFormed)
    notes.push("[Not valid UTF-8: undecodable bytes are shown as \uFFFD, and edit refuses the file.]");
  if (end < totalLines) notes.push(`[Lines ${offset}–${end} of ${totalLines}. Continue with offset ${end + 1}.]`);
  return {
    type: "text",
    text: [...shown, ...notes].join("\n"),
    summary: shown.length === 1 ? "1 line" : `${shown.length} lines`,
    sha256,
  };
}

function numbered(window: Window, offset: number): string[] {
  const lines = linesOf(offset === 1 && window.text.startsWith("\uFEFF") ? window.text.slice(1) : window.text);
  const shown: string[] = [];
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    const text = `${offset + index}\t${cutLine(line, LINE_CHARS)}`;
    chars += text.length + 1;
    if (chars > ANSWER_CHARS && shown.length > 0) break;
    shown.push(text);
  }
  return shown;
}
