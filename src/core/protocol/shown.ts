import { z } from "zod";

/**
 * What a message of the bot shows, as data beside its words. Surfaces that do more than print it use this data and
 * never parse the words. Texts are Markdown without their leading sign.
 */

/** A line of a live message, with its sign. `isOver`: it no longer changes. */
const shownLineSchema = z.object({ sign: z.string(), text: z.string(), isOver: z.boolean() });
export type ShownLine = Readonly<z.infer<typeof shownLineSchema>>;

/** The line as it appears in a message. */
export function lineText({ sign, text }: Pick<ShownLine, "sign" | "text">): string {
  return sign === "" ? text : `${sign} ${text}`;
}

/** How a run has ended. */
const endSchema = z.enum(["done", "failed", "stopped"]);
export type ShownEnd = z.infer<typeof endSchema>;

export const shownSchema = z.discriminatedUnion("type", [
  /** A run under way: its head, and below it its plan, calls, sub-agents and what people should know. */
  z.object({
    type: z.literal("live"),
    state: z.enum(["working", "waiting"]),
    head: z.string(),
    lines: z.array(shownLineSchema).readonly(),
  }),
  /** The result of a run. `isFigures`: the message is one line of figures, which says less than the run's answer. */
  z.object({ type: z.literal("end"), state: endSchema, head: z.string(), isFigures: z.boolean() }),
  z.object({ type: z.literal("answer"), state: endSchema }),
  /** A card that waits for people, and its question in one line. `offer`: no run waits for it. */
  z.object({
    type: z.literal("card"),
    card: z.enum(["approval", "question", "plan", "offer"]),
    head: z.string(),
    asks: z.string(),
  }),
]);
export type Shown = Readonly<z.infer<typeof shownSchema>>;
