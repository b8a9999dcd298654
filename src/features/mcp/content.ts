import { z } from "zod";
import { MAX_RESULT_CHARS } from "../../core/context/tool-result-bounds.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { imageTypeSchema, type ToolResultContent } from "../../core/protocol/messages.ts";
import type { ToolResult } from "../../core/protocol/tool-result.ts";
import { isObject } from "../../core/text/from-json.ts";
import { mediaTypeIn } from "../../tools/web/show-media.ts";
import { foreignLine } from "./foreign-text.ts";
import { nullAsAbsent } from "./listings.ts";
import { textsCover } from "./texts-cover.ts";

/** Maximum number of blocks in one result; each takes at least a line. */
const MAX_BLOCKS = 50;

/**
 * Maximum characters of all texts in one result. Leaves room for the closing line about what is missing: a second cut
 * elsewhere would report another size.
 */
const MAX_TEXT = MAX_RESULT_CHARS - 1_000;

/** Maximum size of one image or document, in base64 characters. Source: Anthropic docs, 5 MB per image. */
const MAX_DATA = 5_000_000;

/** Maximum size of all images and documents of one result, in base64 characters. */
const MAX_DATA_IN_ALL = 15_000_000;

/** A value that is not a string is written as JSON. */
const anyText = z
  .unknown()
  .optional()
  .transform((text) => (typeof text === "string" ? text : JSON.stringify(text ?? undefined)) ?? "");

const resourceContents = z.object({
  uri: z.string().catch("resource"),
  mimeType: nullAsAbsent(z.string()),
  text: nullAsAbsent(z.string()),
  blob: nullAsAbsent(z.string()),
});
type ResourceContents = z.infer<typeof resourceContents>;

const contentItem = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: anyText }),
  z.object({
    type: z.literal("image"),
    data: z.string(),
    mimeType: z.string().catch(""),
    annotations: z
      .object({ audience: z.array(z.string()).optional() })
      .optional()
      .catch(undefined),
  }),
  z.object({ type: z.literal("audio"), data: z.string(), mimeType: z.string().catch("") }),
  z.object({ type: z.literal("resource"), resource: resourceContents }),
  z.object({
    type: z.literal("resource_link"),
    uri: z.string(),
    name: nullAsAbsent(z.string()),
    description: nullAsAbsent(z.string()),
    mimeType: nullAsAbsent(z.string()),
  }),
]);

/** Accepts a part that is a bare string, or a text without its `type`. */
function parsedPart(item: unknown) {
  const given = typeof item === "string" ? { text: item } : item;
  const isText = isObject(given) && given["type"] === undefined && typeof given["text"] === "string";
  return contentItem.safeParse(isText ? { ...given, type: "text" } : given);
}

/** Accepts a single part instead of a list. */
const parts = nullAsAbsent(z.union([z.array(z.unknown()), z.string(), z.looseObject({})])).transform((given) =>
  [given ?? []].flat(),
);

export const callResultSchema = z.object({
  content: parts,
  structuredContent: z.unknown().optional(),
  isError: z
    .unknown()
    .optional()
    .transform((value) => value === true || value === "true"),
});

export const readResultSchema = z.object({ contents: z.array(z.unknown()) });

export const promptResultSchema = z.object({
  description: nullAsAbsent(z.string()),
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
});

/** Converts a call's result to content blocks. Adds structured content unless the blocks already say the same. */
export function resultOfCall({ content, structuredContent, isError }: z.infer<typeof callResultSchema>): ToolResult {
  const blocks = content.map(blockOf);
  const said = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (!textsCover(structuredContent, said)) blocks.push(textBlock(JSON.stringify(structuredContent, null, 2)));
  return bounded(blocks, isError);
}

/** The images of a call's result that are meant for people: all but those that the server marks for the model alone. */
export function imagesForPeople({ content }: z.infer<typeof callResultSchema>): ToolResultContent[] {
  return content.slice(0, MAX_BLOCKS).flatMap((item) => {
    const parsed = parsedPart(item);
    if (!parsed.success || parsed.data.type !== "image") return [];
    const { audience } = parsed.data.annotations ?? {};
    const block = blockOf(item);
    return block.type === "image" && (audience === undefined || audience.includes("user")) ? [block] : [];
  });
}

export function resultOfRead({ contents }: z.infer<typeof readResultSchema>): ToolResult {
  const blocks = contents.map((item) => {
    const parsed = resourceContents.safeParse(item);
    return parsed.success ? resourceBlock(parsed.data) : textBlock("[a part that is not valid is left out]");
  });
  return bounded(blocks, false);
}

export function resultOfPrompt({ description, messages }: z.infer<typeof promptResultSchema>): ToolResult {
  const head = description === undefined ? [] : [textBlock(description)];
  const said = messages.flatMap(({ role, content }) => [
    textBlock(`[${foreignLine(role, 20)}]`),
    ...[content].flat().map(blockOf),
  ]);
  return bounded([...head, ...said], false);
}

function blockOf(item: unknown): ToolResultContent {
  const parsed = parsedPart(item);
  if (!parsed.success) return textBlock("[a part of an unknown kind is left out]");
  const content = parsed.data;
  switch (content.type) {
    case "text":
      return textBlock(content.text);
    case "image":
      return binaryBlock("image", content.mimeType, content.data);
    case "audio":
      return leftOut("audio", content.mimeType, content.data);
    case "resource":
      return resourceBlock(content.resource);
    case "resource_link": {
      const { uri, name, description = "", mimeType = "" } = content;
      const about = [name ?? "", mimeType, description].filter((text) => text !== "");
      const words = about.map((text) => ` · ${foreignLine(text, 300)}`);
      return textBlock(`[resource ${foreignLine(uri, 1_000)}${words.join("")}]`);
    }
    default:
      return assertNever(content);
  }
}

function resourceBlock({ uri, mimeType, text, blob }: ResourceContents): ToolResultContent {
  const name = foreignLine(uri, 1_000);
  if (text !== undefined) {
    return { type: "document", name, mediaType: foreignLine(mimeType ?? "text/plain", 100), text: text.toWellFormed() };
  }
  return binaryBlock(name, mimeType ?? "application/octet-stream", blob ?? "");
}

/**
 * Decides by the bytes rather than the declared type: a model provider refuses every later request that contains an
 * invalid image or document.
 */
function binaryBlock(name: string, mimeType: string, given: string): ToolResultContent {
  const data = bareBase64(given);
  const mediaType = data.length > MAX_DATA ? "" : mediaTypeIn(data);
  const image = imageTypeSchema.safeParse(mediaType);
  if (image.success) return { type: "image", mediaType: image.data, data };
  if (mediaType === "application/pdf") return { type: "document", name, mediaType, data };
  return leftOut(name, mimeType, given);
}

/** Strips the head of a data URL and whitespace; empty if the rest is not base64. */
function bareBase64(given: string): string {
  const data = (given.startsWith("data:") ? given.slice(given.indexOf(",") + 1) : given).replaceAll(/\s+/g, "");
  // Searches for a foreign character, because matching the whole string would overflow the regex stack on megabytes.
  return /[^A-Za-z0-9+/=]/.test(data) ? "" : data;
}

function leftOut(name: string, mimeType: string, data: string): ToolResultContent {
  const kb = Math.ceil((data.length * 3) / 4 / 1024);
  return textBlock(`[${name}: ${foreignLine(mimeType, 100)}, ${kb} KB, is left out]`);
}

function textBlock(text: string): { type: "text"; text: string } {
  return { type: "text", text: text.toWellFormed() };
}

/** Cuts the blocks to the limits and adds a last line that says what is missing. */
function bounded(blocks: readonly ToolResultContent[], isError: boolean): ToolResult {
  const kept: ToolResultContent[] = [];
  let text = 0;
  let data = 0;
  for (const block of blocks.slice(0, MAX_BLOCKS)) {
    const binary = block.type === "text" ? undefined : block.data;
    if (binary !== undefined) {
      data += binary.length;
      if (data <= MAX_DATA_IN_ALL) kept.push(block);
      continue;
    }
    const size = block.type === "image" ? 0 : (block.text?.length ?? 0);
    if (text < MAX_TEXT) kept.push(withText(block, MAX_TEXT - text));
    text += size;
  }
  const missing = [
    ...(blocks.length > MAX_BLOCKS ? [`${blocks.length - MAX_BLOCKS} of ${blocks.length} parts`] : []),
    ...(text > MAX_TEXT ? [`${text - MAX_TEXT} of ${text} characters`] : []),
    ...(data > MAX_DATA_IN_ALL ? ["images or documents beyond 11 MB"] : []),
  ];
  if (missing.length > 0) kept.push(textBlock(`[The server sent more: ${missing.join(", ")} are left out.]`));
  return { content: kept, isError, ...(isError ? { summary: "failed" } : {}) };
}

function withText(block: ToolResultContent, maxChars: number): ToolResultContent {
  if (block.type === "image" || block.text === undefined || block.text.length <= maxChars) return block;
  return { ...block, text: block.text.slice(0, maxChars).replace(/\p{Cs}$/u, "") };
}
