import { z } from "zod";

/** OpenRouter's details of reasoning. Source: OpenRouter docs, Reasoning tokens. */
export const detailSchema = z.looseObject({ type: z.string().nullish(), index: z.number().nullish() });
export type Detail = z.infer<typeof detailSchema>;

/** Fields whose text arrives in pieces. */
const PIECES = new Set(["text", "summary"]);

/**
 * Merges a chunk's detail into those received so far. Pieces of one detail have the same type and index. Its signature
 * comes last, and is only accepted back with the whole text.
 */
export function addDetail(details: Detail[], piece: Detail): void {
  const at = details.findIndex(({ type, index }) => index != null && index === piece.index && type === piece.type);
  const begun = details[at];
  if (begun === undefined || piece.type === "reasoning.encrypted") {
    details.push(piece);
    return;
  }
  const present = Object.entries(piece).filter(([, value]) => value != null);
  const joined = present.map(([key, value]) => {
    const before = begun[key];
    const isPiece = PIECES.has(key) && typeof before === "string" && typeof value === "string";
    return [key, isPiece ? before + value : value];
  });
  details[at] = { ...begun, ...Object.fromEntries(joined) };
}
