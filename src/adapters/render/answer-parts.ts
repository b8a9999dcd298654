import type { OutgoingFile, OutgoingMessage, PlatformLimits } from "../../core/protocol/platform.ts";
import { withPlainTables } from "./markdown/plain-tables.ts";
import { splitMarkdown } from "./markdown/splitter.ts";
import type { Ending } from "./outcome-text.ts";

const IN_FILE = "The answer is long: the whole of it is in the file.";

/** The messages that an ending is posted as, in order; their keys count from 0. The last has room for what stands below it. */
export function answerParts(ending: Ending, limits: PlatformLimits): OutgoingMessage[] {
  const lastChars = limits.messageChars - Math.min((ending.footer ?? "").length, limits.footerChars);
  const markdown = limits.showsTables === false ? withPlainTables(ending.markdown) : ending.markdown;
  const whole = splitMarkdown(markdown, limits.messageChars, limits.messageBlocks);
  const pieces = [...whole.slice(0, -1), ...splitMarkdown(whole.at(-1) ?? "", lastChars, limits.messageBlocks)];
  if (pieces.length <= limits.answerParts) {
    return pieces.map((piece, index) =>
      answer(ending, { markdown: piece, isLast: index === pieces.length - 1, files: [] }),
    );
  }
  const [head = ""] = splitMarkdown(markdown, lastChars - IN_FILE.length - 2, limits.messageBlocks);
  const files = [answerFile(ending.markdown)];
  return [answer(ending, { markdown: `${head}\n\n${IN_FILE}`, isLast: true, files })];
}

export function answerFile(markdown: string): OutgoingFile {
  return { name: "answer.md", mediaType: "text/markdown", data: new TextEncoder().encode(markdown) };
}

interface Part {
  readonly markdown: string;
  readonly isLast: boolean;
  readonly files: readonly OutgoingFile[];
}

function answer({ tone, footer, buttons = [] }: Ending, { markdown, isLast, files }: Part): OutgoingMessage {
  const base = { lane: "answer", markdown, tone, buttons: isLast ? buttons : [], files } as const;
  return isLast && footer !== undefined ? { ...base, footer } : base;
}
