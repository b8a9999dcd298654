import { z } from "zod";
import type { ReadRequest } from "../../../wasm/guests/files/request.ts";
import { imageTypeSchema } from "../../core/protocol/messages.ts";
import { type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool } from "../../core/tool.ts";
import { allowedSecret, READ_SECRET, SECRETS, secretAt, secretRule } from "../secrets/secret-rule.ts";
import { asResult, callGuest, type Guest, readOnlyCapabilities, relativePath } from "./guest-call.ts";
import { createDocumentReader, pdfBlock } from "./read-document.ts";

const input = z.object({
  path: z.string().min(1).describe("The file's path: relative to the working directory, or absolute within it."),
  offset: z.int().min(1).max(4_000_000_000).default(1).describe("The first line to show, starting at 1."),
  limit: z.int().min(1).max(100_000).default(2_000).describe("Maximum number of lines to show."),
});

const reply = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), summary: z.string(), sha256: z.string() }),
  z.object({
    type: z.literal("media"),
    mediaType: imageTypeSchema.or(z.literal("application/pdf")),
    base64: z.string(),
    sha256: z.string(),
  }),
]);
type Reply = z.infer<typeof reply>;

/** Maximum characters of a PDF's text, for models that read no PDFs. */
const PDF_TEXT_CHARS = 100_000;

export function createRead(guest: Guest): Tool {
  const readText = createDocumentReader(guest.sandbox);
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
        const result = await resultOf(read, path, (data) => readText(data, PDF_TEXT_CHARS, { ...ctx, signal }));
        return secretAt(ctx.sandboxRoot, path) === null ? result : { ...result, label: SECRETS };
      }),
  });
}

async function resultOf(
  read: Reply,
  path: string,
  textOf: (pdf: Uint8Array) => Promise<string | null>,
): Promise<ToolResult> {
  const files = [{ path, sha256: read.sha256, action: "read" as const }];
  if (read.type === "text") return textResult(read.text, { summary: read.summary, files });
  const { mediaType, base64: data } = read;
  const bytes = Buffer.from(data, "base64");
  const size = `${Math.ceil(bytes.length / 1024)} KB`;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const kind = mediaType === "application/pdf" ? "PDF" : "image";
  const text = mediaType === "application/pdf" ? await textOf(bytes) : null;
  const block =
    mediaType === "application/pdf"
      ? pdfBlock({ name, data, context: path, text })
      : { type: "image" as const, name, mediaType, data };
  return {
    content: [{ type: "text", text: `${path}: ${kind}, ${size}` }, block],
    isError: false,
    summary: `${kind}, ${size}`,
    files,
  };
}
