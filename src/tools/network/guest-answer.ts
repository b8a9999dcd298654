import { z } from "zod";

/**
 * What a guest receives for its fetch: the response as JSON, or why there is none. wasm/extension/tool.wit describes
 * both.
 */
export const guestAnswerSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("response"), json: z.string() }),
  z.object({
    type: z.literal("refused"),
    sentence: z.string(),
    /** Set if the fetch is forbidden; absent if it failed. */
    denied: z.literal(true).exactOptional(),
  }),
]);
export type GuestAnswer = z.infer<typeof guestAnswerSchema>;
