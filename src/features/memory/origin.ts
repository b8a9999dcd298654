import type { StoredEvent } from "../../core/events/session-event.ts";
import { isWithin, type Label, originsIn, outsideOf, unionOf } from "../../core/trust/label.ts";
import type { Memory, Origin } from "./memory.ts";
import { plainWords } from "./search/words.ts";

/** A memory that a model wants to keep counts as people's own words from this share of its words on. */
const OWN_WORDS = 0.7;

interface TextOrigin {
  /** A person has seen the text and allowed it. */
  readonly approved: boolean;
  /** What the request that led to the call carried. */
  readonly label: Label;
  /** What people have written to the run. */
  readonly said: readonly { readonly text: string }[];
}

/**
 * Whose words a memory holds that a model writes down. Where its request held nothing but what people said, or a
 * person has allowed this very text, it is people's; otherwise it must stand in what people wrote to the run.
 */
export function originOf(text: string, { approved, label, said }: TextOrigin): Origin {
  if (approved || (originsIn(label).length === 0 && isWithin(label, "private"))) return "people";
  return shareIn(text, said.map((each) => each.text).join("\n")) >= OWN_WORDS ? "people" : "outside";
}

/** What people have written of what entered a run. */
export function saidIn(events: readonly StoredEvent[]) {
  return events.flatMap(({ body }) => (body.kind === "message" && body.from === undefined ? [body] : []));
}

/** How much of a text stands in another: 0 to 1. */
export function shareIn(text: string, other: string): number {
  const there = new Set(plainWords(other));
  const words = plainWords(text);
  return words.length === 0 ? 0 : words.filter((word) => there.has(word)).length / words.length;
}

/** The line that holds most of a text, of several the last; undefined where none holds anything of it. */
export function saidMost<T extends { readonly text: string }>(text: string, lines: readonly T[]): T | undefined {
  const shares = lines.map((line) => shareIn(text, line.text));
  const most = Math.max(0, ...shares);
  return most === 0 ? undefined : lines[shares.lastIndexOf(most)];
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
