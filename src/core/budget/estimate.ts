import type { ModelRequest } from "../providers/provider.ts";

/** UTF-8 bytes of one token at least: English has more than 4, code and digits about 3, CJK 3. */
const BYTES_PER_TOKEN = 3;
/** Tokens. Source: Anthropic docs, Vision: the most that one image of the newest models counts. */
const IMAGE_TOKENS = 4_800;
/** Base64 characters of a PDF for one token, half of what its pages usually have. */
const PDF_CHARS_PER_TOKEN = 20;

/** The tokens of a request, rather too many than too few; never more than the window holds. */
export function inputTokensAtMost({ system, messages, tools }: ModelRequest, contextWindow: number): number {
  let media = 0;
  const text = JSON.stringify([system, messages, tools], (_key, value: unknown) => {
    const tokens = mediaTokens(value);
    if (tokens === null) return value;
    media += tokens;
    return null;
  });
  return Math.min(contextWindow, textTokensAtMost(text) + media);
}

/** The tokens of a text, rather too many than too few. */
export function textTokensAtMost(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Tokens of an image or a PDF; null of anything else. */
function mediaTokens(value: unknown): number | null {
  if (typeof value !== "object" || value === null || !("type" in value) || !("data" in value)) return null;
  if (value.type === "image") return IMAGE_TOKENS;
  if (value.type !== "document" || typeof value.data !== "string") return null;
  return Math.ceil(value.data.length / PDF_CHARS_PER_TOKEN);
}
