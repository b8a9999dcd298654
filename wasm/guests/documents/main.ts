import { processOf } from "../runtime/program.ts";
import { Refusal } from "../workspace.ts";
import { documentText } from "./document-text.ts";
import { pdfText } from "./pdf/pdf-text.ts";
import type { DocumentRequest } from "./request.ts";

async function run(input: string): Promise<string> {
  const { base64, maxChars }: DocumentRequest = JSON.parse(input);
  const bytes = Uint8Array.fromBase64(base64);
  try {
    const isPdf = String.fromCharCode(...bytes.subarray(0, 5)) === "%PDF-";
    const text = isPdf ? await pdfText(bytes, maxChars) : (documentText(bytes)?.text ?? null);
    return JSON.stringify({ text: text?.slice(0, maxChars).toWellFormed() ?? null });
  } catch (error) {
    if (error instanceof Refusal) return JSON.stringify({ refused: error.message });
    throw error;
  }
}

export const process = processOf(run);
