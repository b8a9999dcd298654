import type { PlatformLimits } from "../../core/platform/descriptor.ts";
import type { OutgoingFile, OutgoingMessage } from "../../core/platform/outgoing.ts";
import { withPlainTables } from "./markdown/plain-tables.ts";
import { splitMarkdown } from "./markdown/splitter.ts";
import type { Ending } from "./outcome-text.ts";

const IN_FILE = "The answer is long; the full text is in the file.";

/** Splitting drops at most about half of a text, as white space at the cuts. A longer text goes into a file unsplit. */
const LEFT_OUT = 2;

/**
 * Splits an ending into messages, in order; their keys count from 0. The last one leaves room for the footer. `rest`:
 * where the whole of it is, for a text that is too long.
 */
export function answerParts(ending: Ending, limits: PlatformLimits, rest = IN_FILE): OutgoingMessage[] {
  const lastChars = limits.messageChars - Math.min((ending.footer ?? "").length, limits.footerChars);
  const markdown = limits.showsTables === false ? withPlainTables(ending.markdown) : ending.markdown;
  const isTooLong = markdown.length > limits.messageChars * limits.answerParts * LEFT_OUT;
  const pieces = isTooLong ? [] : piecesOf(markdown, lastChars, limits);
  if (!isTooLong && pieces.length <= limits.answerParts) {
    return pieces.map((piece, index) =>
      answer(ending, { markdown: piece, isLast: index === pieces.length - 1, files: [] }),
    );
  }
  const beginning = markdown.slice(0, limits.messageChars * LEFT_OUT);
  const [head = ""] = splitMarkdown(beginning, lastChars - rest.length - 2, limits.messageBlocks);
  const files = [answerFile(ending.markdown)];
  return [answer(ending, { markdown: `${head}\n\n${rest}`, isLast: true, files })];
}

function piecesOf(markdown: string, lastChars: number, { messageChars, messageBlocks }: PlatformLimits): string[] {
  const whole = splitMarkdown(markdown, messageChars, messageBlocks);
  return [...whole.slice(0, -1), ...splitMarkdown(whole.at(-1) ?? "", lastChars, messageBlocks)];
}

export function answerFile(markdown: string): OutgoingFile {
  return { name: "answer.md", mediaType: "text/markdown", data: new TextEncoder().encode(markdown) };
}

interface Part {
  readonly markdown: string;
  readonly isLast: boolean;
  readonly files: readonly OutgoingFile[];
}

function answer({ tone, footer, buttons = [], shows }: Ending, { markdown, isLast, files }: Part): OutgoingMessage {
  const base = { lane: "answer", markdown, tone, buttons: isLast ? buttons : [], files } as const;
  const part = shows === undefined ? base : { ...base, shows };
  return isLast && footer !== undefined ? { ...part, footer } : part;
}
