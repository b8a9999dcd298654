import { z } from "zod";
import type { ContentBlock, ToolUseBlock } from "../protocol/messages.ts";

const SEARCHES: ReadonlySet<string> = new Set(["glob", "grep"]);
const patternSchema = z.object({ pattern: z.string() }).transform(({ pattern }) => pattern);
/** The path or pattern by which people identify a read or a search. */
const labelSchema = z.union([z.object({ path: z.string() }).transform(({ path }) => path), patternSchema]);

/** Collapses consecutive reads and searches into one block for people, as in the live message. */
export function collapseReads(blocks: readonly ContentBlock[]): ContentBlock[] {
  const result: ContentBlock[] = [];
  let row: ToolUseBlock[] = [];
  const endRow = () => {
    result.push(...(row.length > 1 ? [collapsed(row)] : row));
    row = [];
  };
  for (const block of blocks) {
    if (block.type === "tool_use" && isReadCall(block)) {
      row.push(block);
      continue;
    }
    endRow();
    result.push(block);
  }
  endRow();
  return result;
}

function isReadCall({ name }: ToolUseBlock): boolean {
  return name === "read" || SEARCHES.has(name);
}

function collapsed(row: readonly ToolUseBlock[]): ContentBlock {
  const searches = row.filter(({ name }) => SEARCHES.has(name)).length;
  return { type: "collapsed_read_search", reads: row.length - searches, searches, labels: row.flatMap(labelOf) };
}

/** A search is named by its pattern, even if it also has a path. */
function labelOf({ name, input }: ToolUseBlock): string[] {
  const label = (SEARCHES.has(name) ? patternSchema : labelSchema).safeParse(input);
  return label.success ? [label.data] : [];
}
