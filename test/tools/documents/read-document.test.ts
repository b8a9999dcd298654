import { expect, test } from "vitest";
import { contentOf } from "../../../src/core/input/attached-files.ts";
import type { ToolResult } from "../../../src/core/protocol/tool-result.ts";
import { createDocumentReader } from "../../../src/tools/sandboxed/read-document.ts";
import { fileSession, useSandbox } from "../file-session.ts";
import { archive, paragraph, pdf, word } from "./build-documents.ts";

const sandbox = useSandbox();
const { signal } = new AbortController();

function readDocument(data: Uint8Array, chars = 1_000): Promise<string | null> {
  return createDocumentReader(sandbox)(data, chars, { ...fileSession(sandbox).context, signal });
}

async function attached(name: string, data: Uint8Array): Promise<object[]> {
  const file = { name, mediaType: "application/octet-stream", size: data.length, ref: "f" };
  return contentOf(file, data, { context: `attachments/${name}`, chars: 1_000, readDocument });
}

async function read(file: Uint8Array): Promise<ToolResult> {
  const session = fileSession(sandbox);
  session.put("a/report", file);
  return session.run("read", { path: "a/report" });
}

const REPORT = pdf(
  ["Two nodes are enough.", "Or three."],
  ["/Subtype /Widget /FT /Tx /T (owner) /V (Ann)", "/Subtype /Text /Contents (Why three?)"],
);
const TEXT =
  "[Page 1 of 2]\nTwo nodes are enough.\n\n[Page 2 of 2]\nOr three.\n[Comment: Why three?]\n[Field owner: Ann]";

test("a PDF is shown by its pages, and by its text for models that do not read them", async () => {
  const block = { type: "document", mediaType: "application/pdf", data: Buffer.from(REPORT).toString("base64") };
  expect(await attached("report.pdf", REPORT)).toEqual([
    { ...block, name: "report.pdf", context: "attachments/report.pdf", text: TEXT },
  ]);
  const result = await read(REPORT);
  expect(result).toMatchObject({ content: [{ text: "a/report: PDF, 2 KB" }, block], summary: "PDF, 2 KB" });
  expect(result.content[1]).toMatchObject({ name: "report", context: "a/report", text: numbered(TEXT, 1) });
});

const numbered = (text: string, first: number): string => {
  const lines = text.split("\n").map((line, index) => `${first + index}\t${line}`);
  return [...lines, "[This is the text of a PDF; write would replace the document by plain text.]"].join("\n");
};

test("read continues in the text of a PDF", async () => {
  const session = fileSession(sandbox);
  session.put("a.pdf", REPORT);
  const rest = await session.run("read", { path: "a.pdf", offset: 5 });
  expect(rest).toMatchObject({
    content: [{ text: numbered(TEXT.split("\n").slice(4).join("\n"), 5) }],
    summary: "3 lines",
  });
  expect(await session.run("read", { path: "a.pdf", offset: 50 })).toMatchObject({
    isError: true,
    content: [{ text: "a.pdf has 7 lines; offset 50 is past its end." }],
  });
});

test("an attached office document is shown by its text", async () => {
  expect(await attached("plan.docx", word(paragraph("Two nodes are enough.")))).toEqual([
    {
      type: "document",
      name: "plan.docx",
      mediaType: "application/octet-stream",
      text: "Two nodes are enough.",
      context: "attachments/plan.docx",
    },
  ]);
});

test("no more of a text is read than asked for", async () => {
  expect(await readDocument(REPORT, 20)).toBe("[Page 1 of 2]\nTwo no");
  expect(await readDocument(word(paragraph("Two nodes")), 5)).toBe("Two n");
});

test("other files, and documents without text, have none", async () => {
  expect(await readDocument(Buffer.from("text"))).toBeNull();
  expect(await readDocument(archive({ "a.txt": "text" }))).toBeNull();
  expect(await readDocument(pdf([""]))).toBeNull();
  expect(await attached("program.bin", Buffer.from([0, 1, 2]))).toEqual([]);
});

test("a PDF whose characters cannot be known says so", async () => {
  const font = "/Type /Font /Subtype /Type0 /BaseFont /MSung /Encoding /UniCNS-UCS2-H /DescendantFonts [3 0 R]";
  const inner =
    "3 0 obj\n<< /Type /Font /Subtype /CIDFontType0 /BaseFont /MSung /CIDSystemInfo << /Registry (Adobe) /Ordering (CNS1) /Supplement 0 >> /FontDescriptor << /Type /FontDescriptor /FontName /MSung /Flags 4 >> >>";
  const plain = Buffer.from(pdf(["AB"])).toString("latin1");
  const chinese = plain
    .replace("/F 3 0 R", `/F << ${font} >>`)
    .replace("3 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", inner);
  expect(await readDocument(Buffer.from(chinese, "latin1"))).toContain("Characters are missing");
});

test("why a document cannot be read is told in its place", async () => {
  const damaged = "is damaged or incomplete (";
  expect(await readDocument(Buffer.from("%PDF-1.7\n"))).toContain(`[This PDF ${damaged}`);
  expect(await readDocument(Buffer.from("PK\u0003\u0004"))).toContain(`[This document ${damaged}`);
  const locked = Buffer.from(REPORT)
    .toString("latin1")
    .replace(
      "/Root 1 0 R",
      `/Root 1 0 R /Encrypt << /Filter /Standard /V 1 /R 2 /O (${"o".repeat(32)}) /U (${"u".repeat(32)}) /P -4 >>`,
    );
  expect(await readDocument(Buffer.from(locked, "latin1"))).toBe(
    "[This PDF is protected with a password. Ask for it without one.]",
  );
});
