import { z } from "zod";
import { fromJson } from "../text/from-json.ts";

/** What a text can hold, from public to secret. `channel`: what was said in the session's own channel. */
const HOLDINGS = ["public", "channel", "private", "files", "secrets"] as const;
export type Holding = (typeof HOLDINGS)[number];

export const labelSchema = z.object({
  /** Whose words the text holds: ids of served people, or an origin such as `outside:docs.example.com`. */
  who: z.array(z.string()).readonly(),
  holds: z.array(z.enum(HOLDINGS)).readonly(),
});

/** Whose words a text holds, and how confidential they are. */
export type Label = z.infer<typeof labelSchema>;

/** Label of the program's own texts, and of texts made from what the request carries anyway. */
export const EMPTY_LABEL: Label = { who: [], holds: [] };

const OUTSIDE = "outside:";

/** The bot's own earlier messages, which return when a thread's history is read; models wrote them. */
export const OWN_MESSAGES = `${OUTSIDE}my earlier messages`;

/** Label of a text whose label is unknown, such as one from before there were labels. */
export const UNKNOWN_LABEL: Label = { who: [`${OUTSIDE}earlier messages`], holds: ["files"] };

/** Id for words that no person answers for. `origin`: their source, as people read it. */
export function outsideOf(origin: string): string {
  return `${OUTSIDE}${origin}`;
}

/** Origin of words that no person answers for; null for a person's. */
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

/** Origins of the words that no person answers for. */
export function originsIn({ who }: Label): string[] {
  return who.flatMap((each) => originOf(each) ?? []);
}

/** Ids of the people whose words the label names. */
export function peopleIn({ who }: Label): string[] {
  return who.filter((each) => originOf(each) === null);
}

/** Whether the text holds nothing more confidential than `most`. */
export function isWithin({ holds }: Label, most: Holding): boolean {
  return holds.every((holding) => HOLDINGS.indexOf(holding) <= HOLDINGS.indexOf(most));
}

/** Reads a stored label. An unreadable or missing one counts as unknown. */
export function labelFrom(stored: string | null): Label {
  return labelSchema.safeParse(fromJson(stored ?? "")).data ?? UNKNOWN_LABEL;
}
