import { z } from "zod";
import type { DocumentRequest, LinesWanted } from "../../../wasm/guests/documents/request.ts";
import type { DocumentPlace, ReadDocument } from "../../core/input/attached-files.ts";
import { SandboxError } from "../../core/protocol/errors.ts";
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

const reply = z.object({ text: z.string().nullable(), summary: z.string() });

/** Creates the function that reads the text of PDFs and office documents inside the sandbox. */
export function createDocumentReader(sandbox: Sandbox): ReadDocument {
  return async (data, chars, place) => {
    try {
      const text = (await call(sandbox, data, { wanted: { chars }, place }))?.text ?? "";
      return text === "" ? null : text;
    } catch (error) {
      return `[${whyNot(error)}]`;
    }
  };
}

/** Some lines of a document with their numbers, and how many there are in words. */
export interface DocumentLines {
  readonly text: string;
  readonly summary: string;
}

/** Reads lines of a PDF or an office document. Null for other files. Throws a Refusal if it cannot be read. */
export async function readDocumentLines(
  sandbox: Sandbox,
  data: Uint8Array,
  of: { readonly wanted: LinesWanted; readonly place: DocumentPlace },
): Promise<DocumentLines | null> {
  try {
    const answer = await call(sandbox, data, of);
    return answer === null || answer.text === null ? null : { text: answer.text, summary: answer.summary };
  } catch (error) {
    throw new Refusal(whyNot(error));
  }
}

async function call(
  sandbox: Sandbox,
  data: Uint8Array,
  { wanted, place }: { readonly wanted: DocumentRequest["wanted"]; readonly place: DocumentPlace },
): Promise<z.infer<typeof reply> | null> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (bytes.length > MAX_BYTES || !DOCUMENTS.some((head) => head.equals(bytes.subarray(0, head.length)))) return null;
  const { sandboxRoot: root, sessionId, personId, channelKey, signal } = place;
  const request: DocumentRequest = { base64: bytes.toString("base64"), wanted };
  const capability = { root, writable: false, ...DOCUMENT_LIMITS };
  const caller = { sessionId, personId, channelKey, signal, queued: () => undefined };
  return parsedReply(await sandbox.call("documents", JSON.stringify(request), capability, caller), reply);
}

/** Why a document cannot be read, as a sentence. Rethrows what is no answer to that. */
function whyNot(error: unknown): string {
  if (error instanceof Refusal) return error.payload;
  if (!(error instanceof SandboxError)) throw error;
  const { code, detail, message } = error;
  const limit = detail["limit"] === "time" ? "it takes too long" : "it needs too much memory";
  return `The text of this document could not be read: ${code === "sandbox_limit" ? limit : message.replace(/\.$/, "")}.`;
}
