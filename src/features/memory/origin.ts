import type { StoredEvent } from "../../core/events/session-event.ts";
import { isWithin, type Label, originsIn, outsideOf, unionOf } from "../../core/trust/label.ts";
import type { Memory, Origin } from "./memory.ts";
import { indexWords } from "./search/words.ts";

/** A memory that a model wants to keep counts as people's own words from this share of its words on. */
const OWN_WORDS = 0.7;

interface TextOrigin {
  /** A person has seen the text and allowed it. */
  readonly approved: boolean;
  /** What the request that led to the call carried. */
  readonly label: Label;
  /** What entered the run. */
  readonly events: readonly StoredEvent[];
}

/**
 * Whose words a memory holds that a model writes down. Where its request held nothing but what people said, or a
 * person has allowed this very text, it is people's; otherwise it must stand in what people wrote to the run.
 */
export function originOf(text: string, { approved, label, events }: TextOrigin): Origin {
  if (approved || (originsIn(label).length === 0 && isWithin(label, "private"))) return "people";
  const said = new Set(
    events.flatMap(({ body }) => (body.kind === "message" && body.from === undefined ? indexWords(body.text) : [])),
  );
  const words = indexWords(text).filter((word) => word.startsWith("w"));
  const own = words.filter((word) => said.has(word)).length;
  return words.length > 0 && own / words.length >= OWN_WORDS ? "people" : "outside";
}

/** Ids of people, as platforms give them: `slack:U1`. */
const PERSON = /^[a-z]+:/u;

/** Memories are the words of whoever told them; for what was found outside, or imported under a bare name, nobody answers. */
export function labelOf(memories: readonly Memory[]): Label {
  return unionOf(
    memories.map(({ author, isPrivate, origin }) => ({
      who: [origin === "people" && PERSON.test(author.id) ? author.id : outsideOf("memory")],
      holds: [isPrivate ? "private" : "channel"],
    })),
  );
}
