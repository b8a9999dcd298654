import type { ToolResultContent } from "../protocol/messages.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import { textTokens } from "./token-estimate.ts";

/**
 * Maximum length of one result's text, in characters. A safeguard, as tools normally page their output well below it.
 */
export const MAX_RESULT_CHARS = 100_000;
/** Share of a model's window that one result may fill, because unseen results cannot be evicted. */
const WINDOW_SHARE = 0.3;

/**
 * Makes a result acceptable to every provider: limits its length visibly, and removes blank texts but never leaves it
 * empty. `window` is the size of the model's window in tokens.
 */
export function boundResult(result: ToolResult, window = Infinity): ToolResult {
  const content = cut(result.content, window).filter((block) => block.type !== "text" || block.text.trim() !== "");
  return { ...result, content: content.length === 0 ? [{ type: "text", text: "(no output)" }] : content };
}

function cut(content: readonly ToolResultContent[], window: number): ToolResultContent[] {
  const texts = content.map((block) => (block.type === "image" ? "" : (block.text ?? "")));
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const tokens = texts.reduce((sum, text) => sum + textTokens(text), 0);
  const most = Math.min(MAX_RESULT_CHARS, Math.floor((total * window * WINDOW_SHARE) / Math.max(1, tokens)));
  if (total <= most) return [...content];
  let left = most;
  const kept = content.map((block, index) => {
    const length = Math.min(left, texts[index]?.length ?? 0);
    left -= length;
    return withText(block, length);
  });
  const note = `[Cut here: ${total - most} of ${total} characters are left out. Ask for less, with narrower arguments or in parts.]`;
  return [...kept, { type: "text", text: note }];
}

/** Shortens a block's text to at most `length` characters without splitting a surrogate pair. */
function withText(block: ToolResultContent, length: number): ToolResultContent {
  if (block.type === "image" || block.text === undefined || block.text.length <= length) return block;
  const text = block.text.slice(0, length);
  return { ...block, text: text.isWellFormed() ? text : text.slice(0, -1) };
}
