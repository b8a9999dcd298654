import { z } from "zod";
import type { Piece } from "./reasoning-tags.ts";

const textSchema = z.object({ type: z.literal("text"), text: z.string() });

/** Pieces other than text and thoughts, such as references, are dropped. */
const thoughtSchema = textSchema.transform(({ text }) => text).catch("");
const partSchema = z
  .union([
    textSchema.transform((part): Piece[] => [part]),
    z
      .object({ type: z.literal("thinking"), thinking: z.array(thoughtSchema) })
      .transform(({ type, thinking }): Piece[] => [{ type, text: thinking.join("") }]),
  ])
  .catch([]);

/**
 * A delta's `content` as pieces: a string is text; a list, as sent by Mistral's reasoning models, contains text and
 * thoughts. Source: Mistral docs, Reasoning.
 */
export const contentPieces = z.union([
  z.string().transform((text): Piece[] => [{ type: "text", text }]),
  z.array(partSchema).transform((parts) => parts.flat()),
]);
