import { z } from "zod";
import { fromJson } from "../../../core/text/from-json.ts";

/**
 * Messages between processes about runs. `ask`: pages show these sessions, or lists if there are none; with `anew`,
 * answers are sent from their beginning. `changed`: the contents of these sessions have changed. `ended`: nothing is
 * being written there any more. `text`: part of an answer, which replaces everything from `at` on.
 */
const relayMessageSchema = z.union([
  z.strictObject({ ask: z.array(z.string()), anew: z.boolean() }),
  z.strictObject({ changed: z.array(z.string()) }),
  z.strictObject({ ended: z.array(z.string()) }),
  z.strictObject({ text: z.string(), sessionId: z.string(), answer: z.string(), at: z.int().nonnegative() }),
]);

export type RelayMessage = z.infer<typeof relayMessageSchema>;

/** Maximum number of sessions, or of characters, in one message; a character takes at most six bytes in JSON. */
const MOST = { sessions: 50, chars: 600 };
/** Null for a message of another release. */
export function parseRelayMessage(about: string): RelayMessage | null {
  return relayMessageSchema.safeParse(fromJson(about)).data ?? null;
}

/** Splits ids into as many messages as needed. */
export function idMessages(ids: readonly string[], word: (some: string[]) => RelayMessage): RelayMessage[] {
  const words: RelayMessage[] = [];
  for (let from = 0; from < ids.length; from += MOST.sessions) words.push(word(ids.slice(from, from + MOST.sessions)));
  return words;
}

export function textMessages({ text, at, ...rest }: Extract<RelayMessage, { text: string }>): RelayMessage[] {
  const words: RelayMessage[] = [];
  for (let from = 0; from < text.length || from === 0; from += MOST.chars)
    words.push({ ...rest, at: at + from, text: text.slice(from, from + MOST.chars) });
  return words;
}
