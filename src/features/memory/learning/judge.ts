import { acceptable } from "../acceptable.ts";
import type { Kind, Memory } from "../memory.ts";
import { closestLine, shareIn } from "../origin.ts";
import { plainWords } from "../search/words.ts";
import type { Line } from "./lines.ts";
import type { Note } from "./prompt.ts";

/** An accepted note. */
export interface Learned extends Pick<Memory, "text" | "kind" | "origin" | "author"> {
  /** The memory belongs to the person who said it, rather than to the channel. */
  readonly isOfPerson: boolean;
  /** The cited line that contains most of the note. */
  readonly line: Line;
  /** A known memory that says the same; it counts as used once more. */
  readonly same: Memory | null;
  /** A known memory that this note replaces. */
  readonly replaces: Memory | null;
}

/** What was said in a thread, and what is already known. */
export interface Evidence {
  readonly lines: readonly Line[];
  /** The thread contained outside content, so a note's words must be found in what people said. */
  readonly isMixed: boolean;
  /** Memories that may be read where the thread is. */
  readonly known: readonly Memory[];
  readonly channelKey: string;
  readonly isPrivate: boolean;
}

const KINDS: Readonly<Record<Note["kind"], Kind>> = {
  fact: "semantic",
  decision: "semantic",
  preference: "semantic",
  howto: "procedural",
};
/**
 * Share of a note's words that must occur in what people said; less if the thread had no outside content, since a note
 * may paraphrase.
 */
const OWN_WORDS = { plain: 0.5, mixed: 0.7 };
/** Similarity from which two texts count as the same. */
const ALIKE = 0.8;

/**
 * Decides which of a model's notes to keep. What the model has read may have manipulated it, so no note is taken on
 * trust: it is attributed to a person who said its words, or to an address where it was found, or dropped.
 */
export function judgeNotes(notes: readonly Note[], evidence: Evidence): Learned[] {
  const accepted: Learned[] = [];
  for (const note of notes) {
    const learned = judge(note, evidence);
    if (learned !== null && !accepted.some(({ text }) => isAlike(text, learned.text))) accepted.push(learned);
  }
  return accepted;
}

function judge(note: Note, evidence: Evidence): Learned | null {
  const { lines, isMixed, known } = evidence;
  const cited = note.lines.flatMap((number) => lines[number - 1] ?? []);
  const byPeople = cited.filter(({ author }) => author !== null);
  const line = closestLine(note.text, byPeople) ?? byPeople.at(-1);
  const isSaid = line !== undefined && isFrom(note.text, cited, isMixed ? OWN_WORDS.mixed : OWN_WORDS.plain);
  const found = isSaid ? undefined : cited.find(({ foundAt }) => foundAt !== null);
  const reader = lines.findLast((each) => each.author !== null);
  if (!isSaid && found === undefined) return null;
  const origin = isSaid ? "people" : "outside";
  const checked = acceptable(isSaid ? note.text : `Was found at ${found?.foundAt ?? ""}: ${note.text}`);
  const from = isSaid ? line : reader;
  if ("refused" in checked || from?.author == null) return null;
  const isOfPerson = isSaid && note.kind === "preference";
  const { text } = checked;
  const among = known.filter((memory) => memory.origin === origin);
  const same = among.find((memory) => memory.seq === note.same || isAlike(memory.text, text)) ?? null;
  const scope = isOfPerson ? `person:${from.author.id}` : `channel:${evidence.channelKey}`;
  const before = among.find(({ seq }) => seq === note.replaces && seq !== same?.seq) ?? null;
  const mayEnd = before !== null && isSaid && before.scope === scope && before.isPrivate === evidence.isPrivate;
  const replaces = mayEnd && !before.isPinned && isAbout(before.text, text) ? before : null;
  const kind = KINDS[note.kind];
  return { text, kind, origin, isOfPerson, author: from.author, line: from, same, replaces };
}

/** Whether enough of a text's words occur in cited lines of people, or of the agent before outside content. */
function isFrom(text: string, cited: readonly Line[], share: number): boolean {
  const own = cited.filter(({ isOwn }) => isOwn).flatMap((line) => [line.text, line.author?.name ?? ""]);
  return shareIn(text, own.join("\n")) >= share;
}

/** Whether two texts say the same. Different numbers or dates always make them differ. */
function isAlike(one: string, other: string): boolean {
  const [a, b] = [new Set(plainWords(one)), new Set(plainWords(other))];
  const all = [...new Set([...a, ...b])];
  const differing = all.filter((word) => !a.has(word) || !b.has(word));
  if (differing.some((word) => /\d/u.test(word))) return false;
  return all.length > 0 && 1 - differing.length / all.length >= ALIKE;
}

function isAbout(one: string, other: string): boolean {
  const words = new Set(plainWords(other));
  return plainWords(one).some((word) => words.has(word));
}
