import { z } from "zod";

/** What OpenRouter tells of a thought. Source: OpenRouter docs, Reasoning tokens. */
export const detailSchema = z.looseObject({ type: z.string().nullish(), index: z.number().nullish() });
export type Detail = z.infer<typeof detailSchema>;

/** Fields whose text comes in pieces. */
const PIECES = new Set(["text", "summary"]);

/**
 * Adds what a chunk brings to the details so far. Pieces of one detail have its type and index in common; its signature
 * comes last, and is refused beside anything but the whole text.
 */
export function addDetail(details: Detail[], piece: Detail): void {
  const at = details.findIndex(({ type, index }) => index != null && index === piece.index && type === piece.type);
  const begun = details[at];
  if (begun === undefined || piece.type === "reasoning.encrypted") {
    details.push(piece);
    return;
  }
  const said = Object.entries(piece).filter(([, value]) => value != null);
  const joined = said.map(([key, value]) => {
    const before = begun[key];
    const isPiece = PIECES.has(key) && typeof before === "string" && typeof value === "string";
    return [key, isPiece ? before + value : value];
  });
  details[at] = { ...begun, ...Object.fromEntries(joined) };
}
