import { z } from "zod";
import { fromJson } from "../text/from-json.ts";

/** What a text can hold, from what everybody may know on. `channel`: what was said in the session's own one. */
const HOLDINGS = ["public", "channel", "private", "files", "secrets"] as const;
export type Holding = (typeof HOLDINGS)[number];

export const labelSchema = z.object({
  /** Whose words: ids of people who are served, and of anything else where it is from, `outside:docs.example.com`. */
  who: z.array(z.string()).readonly(),
  holds: z.array(z.enum(HOLDINGS)).readonly(),
});

/** Whose a text is, and how much of it not everybody may know. */
export type Label = z.infer<typeof labelSchema>;

/** What is ours, or was made of what a request carries anyway. */
export const NOTHING_NEW: Label = { who: [], holds: [] };

const OUTSIDE = "outside:";

/** What models had us say before: it comes back where a thread's history is read. */
export const OWN_WORDS = `${OUTSIDE}my earlier messages`;

/** Nobody knows: a text from before there were labels, or one that nothing was said of. */
export const UNKNOWN: Label = { who: [`${OUTSIDE}earlier messages`], holds: ["files"] };

/** A text that nobody answers for. `origin`: where it is from, as people read it. */
export function outsideOf(origin: string): string {
  return `${OUTSIDE}${origin}`;
}

/** Where a text is from that nobody answers for; null for a person. */
export function originOf(who: string): string | null {
  return who.startsWith(OUTSIDE) ? who.slice(OUTSIDE.length) : null;
}

export function unionOf(labels: Iterable<Label>): Label {
  const who = new Set<string>();
  const holds = new Set<Holding>();
  for (const label of labels) {
    for (const each of label.who) who.add(each);
    for (const each of label.holds) holds.add(each);
  }
  return { who: [...who].sort(), holds: HOLDINGS.filter((holding) => holds.has(holding)) };
}

/** Origins of what nobody answers for. */
export function originsIn({ who }: Label): string[] {
  return who.flatMap((each) => originOf(each) ?? []);
}

/** Ids of the people whose words are in it. */
export function peopleIn({ who }: Label): string[] {
  return who.filter((each) => originOf(each) === null);
}

/** Whether all of it may go where as much as `most` may. */
export function isWithin({ holds }: Label, most: Holding): boolean {
  return holds.every((holding) => HOLDINGS.indexOf(holding) <= HOLDINGS.indexOf(most));
}

/** What was stored; what cannot be read, or was never said, counts as unknown. */
export function labelFrom(stored: string | null): Label {
  return labelSchema.safeParse(fromJson(stored ?? "")).data ?? UNKNOWN;
}
