import type { ToolResultContent } from "../protocol/messages.ts";
import type { ToolResult } from "../protocol/tool-result.ts";

/** Characters of one result's texts. Tools page their own output well below; this guards against those that do not. */
export const MAX_RESULT_CHARS = 100_000;

/** A result that every provider takes: cut visibly at the limit, without blank texts, never without content. */
export function boundResult(result: ToolResult): ToolResult {
  const content = cut(result.content).filter((block) => block.type !== "text" || block.text.trim() !== "");
  return { ...result, content: content.length === 0 ? [{ type: "text", text: "(no output)" }] : content };
}

function cut(content: readonly ToolResultContent[]): ToolResultContent[] {
  const total = content.reduce((sum, block) => sum + textLength(block), 0);
  if (total <= MAX_RESULT_CHARS) return [...content];
  let left = MAX_RESULT_CHARS;
  const kept = content.map((block) => {
    const length = Math.min(left, textLength(block));
    left -= length;
    return withText(block, length);
  });
  const note = `[Cut here: ${total - MAX_RESULT_CHARS} of ${total} characters are left out. Ask for less, with narrower arguments or in parts.]`;
  return [...kept, { type: "text", text: note }];
}

function textLength(block: ToolResultContent): number {
  return block.type === "image" ? 0 : (block.text?.length ?? 0);
}

/** The block with at most `length` characters of its text, no surrogate pair torn apart. */
function withText(block: ToolResultContent, length: number): ToolResultContent {
  if (block.type === "image" || block.text === undefined || block.text.length <= length) return block;
  const text = block.text.slice(0, length);
  return { ...block, text: text.isWellFormed() ? text : text.slice(0, -1) };
}
