import type { ModelRequest } from "../providers/provider.ts";

/** Fewest UTF-8 bytes of a token: English has more than 4, code and digits about 3, CJK 3. */
const BYTES_PER_TOKEN = 3;
/** Most tokens that an image counts for the newest models. Source: Anthropic docs, Vision. */
const IMAGE_TOKENS = 4_800;
/** Base64 characters of a PDF per token, half of what is usual. */
const PDF_CHARS_PER_TOKEN = 20;

/** Upper estimate of a request's tokens, at most the context window. */
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

/** Upper estimate of a text's tokens. */
export function textTokensAtMost(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Tokens of an image or a PDF; null for anything else. */
function mediaTokens(value: unknown): number | null {
  if (typeof value !== "object" || value === null || !("type" in value) || !("data" in value)) return null;
  if (value.type === "image") return IMAGE_TOKENS;
  if (value.type !== "document" || typeof value.data !== "string") return null;
  const text = "text" in value && typeof value.text === "string" ? value.text : "";
  return Math.max(textTokensAtMost(text), Math.ceil(value.data.length / PDF_CHARS_PER_TOKEN));
}
