import { z } from "zod";
import type { DocumentRequest } from "../../../wasm/guests/documents/request.ts";
import type { ReadDocument } from "../../core/input/attached-files.ts";
import { type DocumentBlock, textOf } from "../../core/protocol/messages.ts";
import { textResult } from "../../core/protocol/tool-result.ts";
import type { CapabilityLimits } from "../wasm/capability.ts";
import type { Sandbox } from "../wasm/sandbox.ts";
import { asResult, parsedReply } from "./guest-call.ts";

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
  return async (data, chars, { sandboxRoot: root, ...caller }) => {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    if (bytes.length > MAX_BYTES || !DOCUMENTS.some((head) => head.equals(bytes.subarray(0, head.length)))) return null;
    const request: DocumentRequest = { base64: bytes.toString("base64"), maxChars: chars };
    const result = await asResult(async () => {
      const capability = { root, writable: false, ...DOCUMENT_LIMITS };
      const output = await sandbox.call("documents", JSON.stringify(request), capability, {
        ...caller,
        queued: () => undefined,
      });
      return textResult(parsedReply(output, reply).text ?? "");
    });
    const text = textOf(result.content);
    return result.isError ? `[${text}]` : text === "" ? null : text;
  };
}

/** A PDF as models read it: its pages and, if it has any, its text for models that cannot read these. */
export function pdfBlock({
  text,
  ...of
}: Omit<DocumentBlock, "type" | "mediaType" | "text"> & { text: string | null }): DocumentBlock {
  return { type: "document", mediaType: "application/pdf", ...of, ...(text === null ? {} : { text }) };
}
