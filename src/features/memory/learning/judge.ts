import { acceptable } from "../acceptable.ts";
import type { Kind, Memory, Origin } from "../memory.ts";
import { saidMost, shareIn } from "../origin.ts";
import { plainWords } from "../search/words.ts";
import type { Line } from "./lines.ts";
import type { Note } from "./prompt.ts";

/** What is kept of a note. */
export interface Learned {
  readonly text: string;
  readonly kind: Kind;
  readonly origin: Origin;
  /** It is of whoever said it, rather than of the channel. */
  readonly isOfPerson: boolean;
  readonly author: { readonly id: string; readonly name: string };
  /** The line that it is from: the one that says most of it. */
  readonly line: Line;
  /** Known already: it is used once more. */
  readonly same: Memory | null;
  /** What it takes the place of. */
  readonly replaces: Memory | null;
}

/** What a thread has said, beside what is known already. */
export interface Evidence {
  readonly lines: readonly Line[];
  /** Outside content was in the thread: what a note says must stand in what people have said. */
  readonly isMixed: boolean;
  /** What may be read where the thread is. */
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
/** How much of a note must stand in what people have said: in other words where nothing else was read. */
const OWN_WORDS = { plain: 0.5, mixed: 0.7 };
/** So much alike, two texts say the same. */
const ALIKE = 0.8;

/**
 * What of a model's notes is kept. The model may have been talked into anything by what it has read, so nothing is taken on
 * its word: a note is of somebody who has said its words; or else it is what was found at an address; or nothing.
 */
export function judged(notes: readonly Note[], evidence: Evidence): Learned[] {
  const kept: Learned[] = [];
  for (const note of notes) {
    const learned = judge(note, evidence);
    if (learned !== null && !kept.some(({ text }) => isAlike(text, learned.text))) kept.push(learned);
  }
  return kept;
}

function judge(note: Note, evidence: Evidence): Learned | null {
  const { lines, isMixed, known } = evidence;
  const cited = note.lines.flatMap((number) => lines[number - 1] ?? []);
  const said = cited.filter(({ author }) => author !== null);
  const line = saidMost(note.text, said) ?? said.at(-1);
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

/** Whether its words stand in the lines that are cited for it, as people have said them, or the agent has of its own. */
function isFrom(text: string, cited: readonly Line[], share: number): boolean {
  const own = cited.filter(({ isOwn }) => isOwn).flatMap((line) => [line.text, line.author?.name ?? ""]);
  return shareIn(text, own.join("\n")) >= share;
}

/** Figures and dates make a difference that other words do not. */
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
