import type { ThreadMessage } from "../platform/chat-platform.ts";
import { type Label, OWN_MESSAGES, outsideOf } from "../trust/label.ts";

/** The label of a thread message. It is the author's if they are served; otherwise it counts as outside content. */
export function labelOfMessage({ author, isQuoting = false }: ThreadMessage): Label {
  const isTheirs = !author.isBot && author.isServed === true;
  const who = author.isOurs === true ? OWN_MESSAGES : isTheirs ? author.id : outsideOf(author.name);
  return { who: [who, ...(isQuoting ? [outsideOf("a quoted message")] : [])], holds: ["channel"] };
}
