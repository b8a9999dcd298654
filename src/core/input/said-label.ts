import type { ThreadMessage } from "../protocol/platform.ts";
import { type Label, OWN_WORDS, outsideOf } from "../trust/label.ts";

/** Whose a message of a thread is: its author's where they are served, and nobody's that answers for it where they are not. */
export function labelOfSaid({ author, isQuoting = false }: ThreadMessage): Label {
  const isTheirs = !author.isBot && author.isServed === true;
  const who = author.isOurs === true ? OWN_WORDS : isTheirs ? author.id : outsideOf(author.name);
  return { who: [who, ...(isQuoting ? [outsideOf("a quoted message")] : [])], holds: ["channel"] };
}
