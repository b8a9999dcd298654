import type { StoredEvent } from "../../core/events/session-event.ts";
import { isWithin, type Label, originsIn, outsideOf, unionOf } from "../../core/trust/label.ts";
import type { Memory, Origin } from "./memory.ts";
import { plainWords } from "./search/words.ts";

/** Share of its words that people must have said for a model's memory to count as their words. */
const OWN_WORDS = 0.7;

interface TextOrigin {
  /** A person has seen and approved the text. */
  readonly approved: boolean;
  /** Label of the model request that led to the call. */
  readonly label: Label;
  /** What people wrote to the run. */
  readonly messages: readonly { readonly text: string }[];
}

/**
 * Whose words a memory holds that a model wrote. They are people's if the request contained only what people said, or
 * if a person approved this very text; otherwise the text must consist mostly of what people wrote to the run.
 */
export function originOf(text: string, { approved, label, messages }: TextOrigin): Origin {
  if (approved || (originsIn(label).length === 0 && isWithin(label, "private"))) return "people";
  return shareIn(text, messages.map((each) => each.text).join("\n")) >= OWN_WORDS ? "people" : "outside";
}

/** The messages that people wrote, among the events that entered a run. */
export function personMessagesIn(events: readonly StoredEvent[]) {
  return events.flatMap(({ body }) => (body.kind === "message" && body.from === undefined ? [body] : []));
}

/** Share of a text's words that occur in another text, from 0 to 1. */
export function shareIn(text: string, other: string): number {
  const there = new Set(plainWords(other));
  const words = plainWords(text);
  return words.length === 0 ? 0 : words.filter((word) => there.has(word)).length / words.length;
}

/** The line that contains most of a text, the last of several; undefined if no line contains any of it. */
export function closestLine<T extends { readonly text: string }>(text: string, lines: readonly T[]): T | undefined {
  const shares = lines.map((line) => shareIn(text, line.text));
  const most = Math.max(0, ...shares);
  return most === 0 ? undefined : lines[shares.lastIndexOf(most)];
}

/** Ids of people, as platforms give them: `slack:U1`. */
const PERSON = /^[a-z]+:/u;

/**
 * The trust label of memories: each counts as its author's words. Nobody answers for those found outside or imported
 * under a bare name.
 */
export function labelOf(memories: readonly Memory[]): Label {
  return unionOf(
    memories.map(({ author, isPrivate, origin }) => ({
      who: [origin === "people" && PERSON.test(author.id) ? author.id : outsideOf("memory")],
      holds: [isPrivate ? "private" : "channel"],
    })),
  );
}
