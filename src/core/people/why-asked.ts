import type { AskedCall, AskingRequest } from "../agent/approval-desk.ts";
import { type Message, textOf } from "../protocol/messages.ts";
import { originsIn } from "../trust/label.ts";
import { type ForeignText, likeliestPassage } from "../trust/passage.ts";

/** Why a call is asked for, with the passage of others that most likely led to it, if there is any; null when the mode says it all. */
export function whyAsked(
  { use }: Pick<AskedCall, "use">,
  { messages }: AskingRequest,
  why: string | null,
): string | null {
  const texts = messages.flatMap(foreignTexts);
  const passage = likeliestPassage(texts, JSON.stringify(use.input));
  if (passage === null) return why;
  const quoted = `${passage.origin} says: “${passage.text}”`;
  return why === null ? quoted : `${why} ${quoted}`;
}

function foreignTexts({ content, label, author }: Message): ForeignText[] {
  const origins = label === undefined ? [] : originsIn(label);
  if (origins.length === 0) return [];
  const origin = origins.join(", ");
  return content.flatMap((block): ForeignText[] => {
    if (block.type === "tool_result") return [{ origin, text: textOf(block.content) }];
    // Of a person's message, what stands beside their own words.
    if (block.type === "text" && (author === undefined || block.text.startsWith("<")))
      return [{ origin, text: block.text }];
    return block.type === "document" ? [{ origin, text: block.text ?? "" }] : [];
  });
}
