import { assertNever } from "../protocol/assert-never.ts";
import type { ContentBlock, Message, ToolResultContent } from "../protocol/messages.ts";
import type { SystemPart, ToolSpec } from "../providers/provider.ts";

/**
 * Safety factor for models whose token counts are not known yet, because an estimate that is too low overflows the
 * window.
 */
const COLD_RATIO = 1.3;
/** Weight of a new measurement in a model's moving average. */
const NEWEST_SHARE = 0.3;
/** Limits for measured ratios. Values outside say more about the provider's counting than about its tokens. */
const RATIO_BOUNDS = { least: 0.5, most: 3 };
/** Tokens of an image. Source: Anthropic docs, Vision: (1,092 px)² is the largest image that is not scaled down. */
const IMAGE_TOKENS = 1_600;
/** Base64 characters of a PDF per token, assuming pages of about 80 KB and 2,500 tokens. */
const PDF_CHARS_PER_TOKEN = 40;
/** Tokens of a message, and of each block, beside their text. */
const FRAME_TOKENS = 4;

/** Estimates the tokens of a text in one pass. Real tokenizers take seconds for some texts. */
export function textTokens(text: string): number {
  let digits = 0;
  let cjk = 0;
  let other = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x30 && code <= 0x39) digits += 1;
    else if (code >= 0x80) {
      if (isCjk(code)) cjk += 1;
      else other += 1;
    }
  }
  const ascii = text.length - digits - cjk - other;
  return ascii / 3.6 + digits / 1.8 + cjk * 0.95 + other / 2.4;
}

/** Kana, CJK ideographs and Hangul, as UTF-16 units. */
function isCjk(code: number): boolean {
  return (code >= 0x3040 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af) || (code >= 0xf900 && code <= 0xfaff);
}

/**
 * Estimates tokens locally, by a heuristic that is corrected for each model with a moving average of what the provider
 * counted. Keeps the averages of this process and caches message sizes.
 */
export class TokenMeter {
  readonly #ratios = new Map<string, number>();
  readonly #sizes = new WeakMap<Message, number>();

  /** Tokens of content with the given uncorrected size for a model (`provider/model`). */
  corrected(model: string, size: number): number {
    return Math.ceil(size * (this.#ratios.get(model) ?? COLD_RATIO));
  }

  /** Records how many tokens a request of the given uncorrected size was counted as. */
  learn(model: string, size: number, tokens: number): void {
    if (size <= 0 || tokens <= 0) return;
    const sample = Math.min(RATIO_BOUNDS.most, Math.max(RATIO_BOUNDS.least, tokens / size));
    const known = this.#ratios.get(model);
    this.#ratios.set(model, known === undefined ? sample : known + NEWEST_SHARE * (sample - known));
  }

  sizeOf(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.#sizeOfMessage(message), 0);
  }

  #sizeOfMessage(message: Message): number {
    const known = this.#sizes.get(message);
    if (known !== undefined) return known;
    const size = message.content.reduce((sum, block) => sum + blockTokens(block), FRAME_TOKENS);
    this.#sizes.set(message, size);
    return size;
  }
}

/** The uncorrected size of everything before the messages in a request. */
export function prefixSize(system: readonly SystemPart[], tools: readonly ToolSpec[]): number {
  const texts = [...system.map(({ text }) => text), ...tools.map((tool) => JSON.stringify(tool))];
  return texts.reduce((sum, text) => sum + textTokens(text) + FRAME_TOKENS, 0);
}

function blockTokens(block: ContentBlock): number {
  switch (block.type) {
    case "text":
    case "image":
    case "document":
      return FRAME_TOKENS + partTokens(block);
    case "tool_result":
      return block.content.reduce((sum, part) => sum + partTokens(part), 2 * FRAME_TOKENS);
    case "tool_use":
      return 2 * FRAME_TOKENS + textTokens(block.name) + textTokens(block.invalidJson ?? JSON.stringify(block.input));
    case "thinking":
      return FRAME_TOKENS + textTokens(block.thinking);
    case "redacted_thinking":
      return FRAME_TOKENS + textTokens(block.data);
    case "user_local_command_output":
      return FRAME_TOKENS + textTokens(block.command + block.stdout + block.stderr);
    case "user_command":
      return FRAME_TOKENS + textTokens(block.command + block.args);
    case "user_memory_input":
      return FRAME_TOKENS + textTokens(block.text);
    case "task_assignment":
      return FRAME_TOKENS + textTokens(block.description);
    case "collapsed_read_search":
      return FRAME_TOKENS + textTokens(block.labels.join());
    case "system_api_error": // never sent
    case "approval_request":
      return 0;
    default:
      return assertNever(block);
  }
}

function partTokens(part: ToolResultContent): number {
  switch (part.type) {
    case "text":
      return textTokens(part.text);
    case "image":
      return IMAGE_TOKENS;
    case "document":
      // The request has the pages or their text, depending on the model.
      return Math.max(textTokens(part.text ?? ""), (part.data ?? "").length / PDF_CHARS_PER_TOKEN);
    default:
      return assertNever(part);
  }
}
