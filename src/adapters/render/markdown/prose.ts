import { type Fence, fenceAfterLine, LONGEST_MARKER } from "./fences.ts";

const CODE_SPAN = /((?<!`)`+[^`\n]+`+)/u;

/** Applies `change` to the text outside code blocks and code spans. */
export function mapOutsideCode(markdown: string, change: (text: string) => string): string {
  let fence: Fence | null = null;
  const shown: string[] = [];
  for (const line of markdown.split("\n")) {
    const isCode = fence !== null;
    fence = fenceAfterLine(fence, line, LONGEST_MARKER);
    shown.push(isCode || fence !== null ? line : mapOutsideSpans(line, change));
  }
  return shown.join("\n");
}

/** Applies `change` to the parts of a line outside code spans. */
export function mapOutsideSpans(line: string, change: (text: string) => string): string {
  const parts = line.split(CODE_SPAN);
  return parts.map((part, index) => (index % 2 === 0 ? change(part) : part)).join("");
}
