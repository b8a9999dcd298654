import { documentText } from "../documents/document-text.ts";
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

/** Maximum bytes of an office document, whose unpacking takes memory and time. */
const DOCUMENT_BYTES = 8_388_608;

export type ReadReply =
  | { readonly type: "text"; readonly text: string; readonly summary: string; readonly sha256: string }
  | { readonly type: "media"; readonly mediaType: string; readonly base64: string; readonly sha256: string };

export function read(workspace: Workspace, request: ReadRequest): ReadReply {
  const { path } = request;
  const facts = workspace.inspect(path);
  if (facts.kind === "missing") throw new Refusal(`${path} does not exist. Look for it with glob.`);
  if (facts.kind === "directory") throw new Refusal(`${path} is a directory. List it with glob, e.g. "${path}/*".`);
  if (facts.mediaType === "application/octet-stream") return readDocument(workspace, request, facts.size);
  if (facts.mediaType !== "") return readMedia(workspace, path, facts);
  return readText(workspace, request);
}

function readMedia(workspace: Workspace, path: string, facts: { mediaType: string; size: number }): ReadReply {
  const { mediaType, size } = facts;
  const limit = mediaType === "application/pdf" ? PDF_BYTES : IMAGE_BYTES;
  if (size > limit) throw new Refusal(`${path} is too large to show: ${size} bytes of ${mediaType}, limit ${limit}.`);
  const { base64, sha256 } = workspace.readEncoded(path);
  return { type: "media", mediaType, base64, sha256 };
}

function readText(workspace: Workspace, request: ReadRequest): ReadReply {
  const window = workspace.readLines(request.path, request.offset, request.limit);
  const replaced = "[Not valid UTF-8: undecodable bytes are shown as \uFFFD, and edit refuses the file.]";
  return shown(window, request, window.wellFormed ? [] : [replaced]);
}

/** The text of a binary file that is an office document. */
function readDocument(workspace: Workspace, request: ReadRequest, size: number): ReadReply {
  const { path, offset, limit } = request;
  const file = size > DOCUMENT_BYTES ? null : workspace.readEncoded(path);
  const document = file === null ? null : documentText(Uint8Array.fromBase64(file.base64));
  if (file === null || document === null) {
    throw new Refusal(
      `${path} is a binary file (${size} bytes); read shows text, PNG, JPEG, GIF, WebP, PDF and office documents up to ${DOCUMENT_BYTES} bytes.`,
    );
  }
  const lines = linesOf(document.text === "" ? "(no text)" : document.text);
  const text = lines.slice(offset - 1, offset - 1 + limit).join("\n");
  const note = `[This is the text of a ${document.kind}; write would replace the document by plain text.]`;
  return shown({ text, totalLines: lines.length, sha256: file.sha256 }, request, [note]);
}

function shown(window: Omit<Window, "wellFormed">, { path, offset }: ReadRequest, notes: readonly string[]): ReadReply {
  const { totalLines, sha256 } = window;
  if (totalLines === 0) return { type: "text", text: `${path} is empty.`, summary: "empty", sha256 };
  if (offset > totalLines) {
    throw new Refusal(`${path} has ${totalLines} lines; offset ${offset} is past its end.`);
  }
  const lines = numbered(window.text, offset);
  const end = offset + lines.length - 1;
  const more = end < totalLines ? [`[Lines ${offset}–${end} of ${totalLines}. Continue with offset ${end + 1}.]`] : [];
  return {
    type: "text",
    text: [...lines, ...notes, ...more].join("\n"),
    summary: lines.length === 1 ? "1 line" : `${lines.length} lines`,
    sha256,
  };
}

function numbered(windowText: string, offset: number): string[] {
  const lines = linesOf(offset === 1 && windowText.startsWith("\uFEFF") ? windowText.slice(1) : windowText);
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
