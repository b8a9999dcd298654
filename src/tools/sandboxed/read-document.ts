import { z } from "zod";
import type { DocumentRequest } from "../../../wasm/guests/documents/request.ts";
import type { ReadDocument } from "../../core/input/attached-files.ts";
import { SandboxError } from "../../core/protocol/errors.ts";
import type { DocumentBlock } from "../../core/protocol/messages.ts";
import type { CapabilityLimits } from "../wasm/capability.ts";
import type { Sandbox } from "../wasm/sandbox.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";
import { parsedReply } from "./guest-call.ts";

/** Limits for reading one document: memory for its file, pdf.js and a page, and time for a book on a busy machine. */
const DOCUMENT_LIMITS: CapabilityLimits = {
  clock: true,
  timeoutMs: 20_000,
  memoryMb: 256,
  outputBytes: 4_194_304,
};

/** Maximum bytes of a file whose text is looked for. */
const MAX_BYTES = 16_777_216;

/** First bytes of PDFs, of ZIP archives such as the newer office documents, and of the older ones. */
const DOCUMENTS = ["%PDF-", "PK\u0003\u0004", "\u00d0\u00cf\u0011\u00e0"].map((head) => Buffer.from(head, "latin1"));

const reply = z.object({ text: z.string().nullable() });

/** Creates the function that reads the text of PDFs and office documents inside the sandbox. */
export function createDocumentReader(sandbox: Sandbox): ReadDocument {
  return async (data, chars, { sandboxRoot: root, sessionId, personId, channelKey, signal }) => {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (bytes.length > MAX_BYTES || !DOCUMENTS.some((head) => head.equals(bytes.subarray(0, head.length)))) return null;
    const request: DocumentRequest = { base64: bytes.toString("base64"), maxChars: chars };
    const capability = { root, writable: false, ...DOCUMENT_LIMITS };
    const caller = { sessionId, personId, channelKey, signal, queued: () => undefined };
    try {
      const { text } = parsedReply(await sandbox.call("documents", JSON.stringify(request), capability, caller), reply);
      return text === "" ? null : text;
    } catch (error) {
      if (error instanceof Refusal) return `[${error.payload}]`;
      if (error instanceof SandboxError) return `[The text of this document could not be read: ${whyNot(error)}.]`;
      throw error;
    }
  };
}

function whyNot({ code, detail, message }: SandboxError): string {
  if (code !== "sandbox_limit") return message;
  return detail.limit === "time" ? "it takes too long" : "it needs too much memory";
}

/** A PDF as models read it: its pages and, if it has any, its text for models that cannot read these. */
export function pdfBlock({
  text,
  ...of
}: Omit<DocumentBlock, "type" | "mediaType" | "text"> & { text: string | null }): DocumentBlock {
  return { type: "document", mediaType: "application/pdf", ...of, ...(text === null ? {} : { text }) };
}
