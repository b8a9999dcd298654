import { linesOf } from "../files/lines.ts";
import { processOf } from "../runtime/program.ts";
import { LINE_CHARS, shownLines } from "../shown-lines.ts";
import { Refusal } from "../workspace.ts";
import { type DocumentText, documentText } from "./document-text.ts";
import { pdfText } from "./pdf/pdf-text.ts";
import type { DocumentRequest, LinesWanted } from "./request.ts";

/** Characters of a document that are read for some of its lines: those of a thousand pages. */
const MAX_CHARS = 3_000_000;

async function run(input: string): Promise<string> {
  const { base64, wanted }: DocumentRequest = JSON.parse(input);
  const chars = "chars" in wanted ? wanted.chars : MAX_CHARS;
  try {
    const document = await textOf(Uint8Array.fromBase64(base64), chars);
    if (document === null) return JSON.stringify({ text: null, summary: "" });
    if ("path" in wanted) return JSON.stringify(linesIn(document, wanted));
    return JSON.stringify({ text: document.text.slice(0, chars).toWellFormed(), summary: "" });
  } catch (error) {
    if (error instanceof Refusal) return JSON.stringify({ refused: error.message });
    throw error;
  }
}

async function textOf(bytes: Uint8Array, chars: number): Promise<DocumentText | null> {
  if (String.fromCharCode(...bytes.subarray(0, 5)) !== "%PDF-") return documentText(bytes, chars);
  return { kind: "PDF", text: await pdfText(bytes, chars) };
}

function linesIn({ kind, text }: DocumentText, wanted: LinesWanted): ReturnType<typeof shownLines> {
  const lines = linesOf(text === "" ? "(no text)" : text).flatMap(folded);
  const from = wanted.offset - 1;
  const notes = [`[This is the text of a ${kind}; write would replace the document by plain text.]`];
  return shownLines(
    { text: lines.slice(from, from + wanted.limit).join("\n"), totalLines: lines.length, notes },
    wanted,
  );
}

/** A line in parts that are shown whole, since nothing else than read can show the rest of it. */
function folded(line: string): string[] {
  const parts: string[] = [];
  let rest = line;
  while (rest.length > LINE_CHARS) {
    const part = rest.slice(0, LINE_CHARS - 2).replace(/[\ud800-\udbff]$/, "");
    parts.push(`${part}…`);
    rest = `…${rest.slice(part.length)}`;
  }
  return [...parts, rest];
}

export const process = processOf(run);
