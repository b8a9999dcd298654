import { z } from "zod";

/** What a guest is told of its fetch: JSON of the response, or why there is none. Both are described in wasm/extension/tool.wit. */
export const guestAnswerSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("response"), json: z.string() }),
  z.object({
    type: z.literal("refused"),
    sentence: z.string(),
    /** It is forbidden; else it failed. */
    denied: z.literal(true).exactOptional(),
  }),
]);
export type GuestAnswer = z.infer<typeof guestAnswerSchema>;
