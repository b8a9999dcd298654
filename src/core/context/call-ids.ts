import { type ContentBlock, type Message, toolUsesOf } from "../protocol/messages.ts";
import type { Ids } from "../protocol/runtime.ts";

/**
 * Replaces tool-call ids that the session has already used. Calls and results are matched by id, but some models
 * restart their numbering in each response or repeat an id within one.
 */
export function withFreshCallIds(
  content: readonly ContentBlock[],
  history: readonly Message[],
  ids: Ids,
): readonly ContentBlock[] {
  const taken = new Set(history.flatMap((message) => toolUsesOf(message.content).map((use) => use.id)));
  return content.map((block) => {
    if (block.type !== "tool_use") return block;
    const id = block.id === "" || taken.has(block.id) ? ids.next("call") : block.id;
    taken.add(id);
    return id === block.id ? block : { ...block, id };
  });
}
