import type { Projection, Summary } from "../events/projection.ts";
import type { ContentBlock, Message, ToolResultBlock, ToolUseBlock } from "../protocol/messages.ts";
import { counted } from "../text/counted.ts";

/** Returns the short argument of a call, as in its progress line. */
export type TitleOf = (use: ToolUseBlock) => string;

/** The history as requests carry it. Unchanged messages are the same objects. */
export function projectHistory(messages: readonly Message[], projection: Projection, titleOf: TitleOf): Message[] {
  const { summary, evictedResults } = projection;
  const uses = new Map<string, ToolUseBlock>();
  const kept: Message[] = summary === null ? [] : [summaryMessage(summary)];
  let results = 0;
  for (const [index, message] of messages.entries()) {
    for (const block of message.content) if (block.type === "tool_use") uses.set(block.id, block);
    const before = results;
    results += resultsOf(message).length;
    if (index < (summary?.messages ?? 0)) continue;
    const evicted =
      before < evictedResults ? withPlaceholders(message, evictedResults - before, { uses, titleOf }) : message;
    kept.push(index < (summary?.madeAt ?? 0) ? withoutThinking(evicted) : evicted);
  }
  return kept;
}

export function resultsOf({ content }: Message): ToolResultBlock[] {
  return content.filter((block): block is ToolResultBlock => block.type === "tool_result");
}

/** Length of a result's text, in characters. */
export function resultChars({ content }: ToolResultBlock): number {
  return content.reduce((sum, part) => sum + (part.type === "image" ? 0 : (part.text?.length ?? 0)), 0);
}

/** Message id that distinguishes a summary from what people wrote. */
const SUMMARY_ID = "summary";

export function isSummary({ id }: Message): boolean {
  return id === SUMMARY_ID;
}

function summaryMessage({ text }: Summary): Message {
  const intro = "[Summary of the conversation so far. What follows is verbatim.]";
  const content: ContentBlock[] = [{ type: "text", text: `${intro}\n\n${text}` }];
  return { id: SUMMARY_ID, role: "user", content, createdAt: 0 };
}

interface Calls {
  readonly uses: ReadonlyMap<string, ToolUseBlock>;
  readonly titleOf: TitleOf;
}

/** Replaces the first `count` results of a message by placeholders. */
function withPlaceholders(message: Message, count: number, calls: Calls): Message {
  let left = count;
  const content = message.content.map((block) => {
    if (block.type !== "tool_result" || left === 0) return block;
    left -= 1;
    return withPlaceholder(block, calls);
  });
  return { ...message, content };
}

/** Replaces a result by a placeholder, unless its text is no longer than that. */
function withPlaceholder(result: ToolResultBlock, { uses, titleOf }: Calls): ToolResultBlock {
  const use = uses.get(result.toolUseId);
  const text = placeholder(result, use === undefined ? "a call" : use.name, use === undefined ? "" : titleOf(use));
  const isShort = resultChars(result) <= text.length && result.content.every((part) => part.type === "text");
  return isShort ? result : { ...result, content: [{ type: "text", text }] };
}

/** Maximum length of a call's argument in a placeholder, in characters. */
const TITLE_CHARS = 120;

/** `[Earlier tool result from read: src/main.rs, 42 lines]` */
function placeholder({ content }: ToolResultBlock, name: string, title: string): string {
  const text = content.flatMap((part) => (part.type === "image" ? [] : [part.text ?? ""])).join("\n");
  const lines = text.replace(/(?<!\n)\n+$/, "").split("\n").length;
  const images = content.filter((part) => part.type === "image").length;
  const plainTitle = title.replaceAll(/\s+/g, " ").slice(0, TITLE_CHARS).toWellFormed();
  const facts = [...(text === "" ? [] : [counted(lines, "line")]), ...(images === 0 ? [] : [counted(images, "image")])];
  const what = `${name}${plainTitle === "" ? "" : `: ${plainTitle}`}`;
  return `[Earlier tool result from ${[what, ...facts].join(", ")}]`;
}

function withoutThinking(message: Message): Message {
  const content = message.content.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  return content.length === message.content.length ? message : { ...message, content };
}
