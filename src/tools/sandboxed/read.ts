import { z } from "zod";
import type { ReadRequest } from "../../../wasm/guests/files/request.ts";
import { type DocumentBlock, type ImageBlock, imageTypeSchema } from "../../core/protocol/messages.ts";
import { type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool } from "../../core/tool.ts";
import { allowedSecret, READ_SECRET, SECRETS, secretAt, secretRule } from "../secrets/secret-rule.ts";
import { BINARY } from "../wasm/workspace/media-type.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";
import { asResult, callGuest, type Guest, readOnlyCapabilities, relativePath } from "./guest-call.ts";
import { type DocumentLines, readDocumentLines } from "./read-document.ts";

const input = z.object({
  path: z.string().min(1).describe("The file's path: relative to the working directory, or absolute within it."),
  offset: z.int().min(1).max(4_000_000_000).default(1).describe("The first line to show, starting at 1."),
  limit: z.int().min(1).max(100_000).default(2_000).describe("Maximum number of lines to show."),
});

const reply = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), summary: z.string(), sha256: z.string() }),
  z.object({
    type: z.literal("media"),
    mediaType: imageTypeSchema.or(z.enum(["application/pdf", BINARY])),
    base64: z.string(),
    sha256: z.string(),
  }),
]);
type Reply = z.infer<typeof reply>;

export function createRead(guest: Guest): Tool {
  return defineTool({
    name: "read",
    description:
      "Reads a file in the working directory. Text has line numbers added (number, tab, line; the numbers are not part of the file); " +
      "PNG, JPEG, GIF and WebP images and PDF documents are shown as they are, Word, Excel, PowerPoint and OpenDocument files as text. " +
      "Long files are cut, with the offset to continue from. " +
      "A file must be read before write or edit can change it.",
    offer: {
      about:
        "Reads a file: text with line numbers added, images, PDF, Office documents. Required before write or edit changes it.",
      arguments: {
        path: "",
        offset: "First line, from 1.",
        limit: "",
      },
    },
    input,
    permission: "read",
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: "read", label: "reading files" }),
    title: ({ path }) => path,
    rule: ({ path }, place) => secretRule(path, place),
    capabilities: () => readOnlyCapabilities(guest),
    preview: async ({ path }) => ({ question: READ_SECRET, language: "", text: path, reach: "reads this file alone" }),
    execute: ({ path: asked, offset, limit }, ctx, signal) =>
      asResult(async () => {
        const path = relativePath(asked, ctx);
        const body: ReadRequest = { op: "read", path, offset, limit };
        const allowed = allowedSecret(path, ctx);
        const read = await callGuest(guest, { body, reply }, { ctx, signal, writes: false, ...allowed });
        const lines = (data: Uint8Array) =>
          readDocumentLines(guest.sandbox, data, { wanted: { path, offset, limit }, place: { ...ctx, signal } });
        const result = await resultOf(read, { path, offset }, lines);
        return secretAt(ctx.sandboxRoot, path) === null ? result : { ...result, label: SECRETS };
      }),
  });
}

type ReadLines = (data: Uint8Array) => Promise<DocumentLines | null>;

async function resultOf(
  read: Reply,
  { path, offset }: { readonly path: string; readonly offset: number },
  linesOf: ReadLines,
): Promise<ToolResult> {
  const files = [{ path, sha256: read.sha256, action: "read" as const }];
  if (read.type === "text") return textResult(read.text, { summary: read.summary, files });
  const { mediaType, base64: data } = read;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const bytes = Buffer.from(data, "base64");
  if (mediaType !== "application/pdf" && mediaType !== BINARY) {
    return { ...shownResult(path, bytes, { type: "image", name, mediaType, data }), files };
  }
  if (mediaType === BINARY || offset > 1) {
    const lines = await linesOf(bytes);
    if (lines !== null) return textResult(lines.text, { summary: lines.summary, files });
    throw new Refusal(
      `${path} is a binary file (${bytes.length} bytes); read shows text, PNG, JPEG, GIF, WebP, PDF and office documents.`,
    );
  }
  // The text is for models that cannot read the pages.
  const text = await linesOf(bytes).then((lines) => lines?.text, sentenceOf);
  return { ...shownResult(path, bytes, { type: "document", name, mediaType, data, context: path, text }), files };
}

function shownResult(path: string, { length }: Uint8Array, block: ImageBlock | DocumentBlock): ToolResult {
  const summary = `${block.type === "image" ? "image" : "PDF"}, ${Math.ceil(length / 1024)} KB`;
  return { content: [{ type: "text", text: `${path}: ${summary}` }, block], isError: false, summary };
}

/** Why a PDF has no text here, for models that cannot read its pages. */
function sentenceOf(error: unknown): string {
  if (error instanceof Refusal) return `[${error.payload}]`;
  throw error;
}
