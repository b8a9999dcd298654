import { z } from "zod";
import type { ContentBlock, ToolUseBlock } from "../protocol/messages.ts";

const SEARCHES: ReadonlySet<string> = new Set(["glob", "grep"]);
const patternSchema = z.object({ pattern: z.string() }).transform(({ pattern }) => pattern);
/** What names a read or a search to people. */
const labelSchema = z.union([z.object({ path: z.string() }).transform(({ path }) => path), patternSchema]);

/** Blocks for people: reads and searches that follow each other become one, as they do in the live message. */
export function collapseReads(blocks: readonly ContentBlock[]): ContentBlock[] {
  const result: ContentBlock[] = [];
  let row: ToolUseBlock[] = [];
  const endRow = () => {
    result.push(...(row.length > 1 ? [collapsed(row)] : row));
    row = [];
  };
  for (const block of blocks) {
    if (block.type === "tool_use" && isLook(block)) {
      row.push(block);
      continue;
    }
    endRow();
    result.push(block);
  }
  endRow();
  return result;
}

function isLook({ name }: ToolUseBlock): boolean {
  return name === "read" || SEARCHES.has(name);
}

function collapsed(row: readonly ToolUseBlock[]): ContentBlock {
  const searches = row.filter(({ name }) => SEARCHES.has(name)).length;
  return { type: "collapsed_read_search", reads: row.length - searches, searches, labels: row.flatMap(labelOf) };
}

/** A search is named by its pattern, though it may have a path, too. */
function labelOf({ name, input }: ToolUseBlock): string[] {
  const label = (SEARCHES.has(name) ? patternSchema : labelSchema).safeParse(input);
  return label.success ? [label.data] : [];
}
