import type { Random } from "./random.ts";

export interface Statement {
  readonly id: string;
  readonly text: string;
  readonly author: string;
  /** Date of the statement. */
  readonly at: Date;
  readonly thread: string;
  /** The statement that replaced it. */
  readonly endedBy?: string;
}

export interface Asked {
  readonly kind: "words" | "form" | "paraphrase" | "answer" | "author" | "date" | "superseded" | "name";
  readonly query: string;
  readonly evidence: string;
}

export interface Corpus {
  readonly statements: readonly Statement[];
  readonly questions: readonly Asked[];
}

/** Statements about a service, and questions that ask for them in other words. */
const PARAPHRASES = [
  ["The supplier of * raised its fee", "Did the price change at the vendor of *?"],
  ["* collapsed while the chief was on leave", "Which outage of * fell into a vacation of the boss?"],
  ["We recruited somebody for *", "Whom did we hire to look after *?"],
  ["The * spares lie in the basement", "What of * is kept in the cellar?"],
  ["Every purge at * needs two people", "Who may delete what * has stored?"],
  ["* is sluggish in the mornings", "At which time of the day is * slow?"],
] as const;
const THREADS = 20;
const CHATTER = 80;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 5);
const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
const THINGS = ["runbooks", "certificates", "licences", "backups", "invoices", "keys of the rack", "contracts"];
const PLACES = ["In the green binder", "On the shelf behind Lena's desk", "In the vault downstairs", "At the notary's"];
const LIKES = ["short answers", "tables over prose", "reviews before lunch", "the dark theme", "tests before code"];
const EVENTS = ["fell over", "ran out of disk", "lost its primary", "answered with errors", "was rolled back"];

/**
 * Builds the talk of a team in twenty threads, and questions whose evidence is known. Names and order vary with the
 * seed.
 */
export function madeCorpus(random: Random): Corpus {
  const people = Array.from({ length: 12 }, () => random.name());
  const threads = Array.from({ length: THREADS }, (_, index) => threadOf(index, people, random));
  return {
    statements: random.shuffled(threads).flatMap(({ statements }) => statements),
    questions: random.shuffled(threads.flatMap(({ questions }) => questions)),
  };
}

type Said = Omit<Statement, "thread" | "at"> & { readonly at?: Date };
/** Lines that stay together, and questions about them. */
interface Piece {
  readonly lines: readonly Said[];
  readonly questions: readonly Asked[];
}

function threadOf(index: number, people: readonly string[], random: Random): Corpus {
  const thread = `thread-${index}`;
  const service = random.name();
  const started = START + index * 11 * DAY_MS;
  const world: World = { id: counted(thread), service, people, random, started };
  const pieces = [
    ...facts(world),
    ...paraphrases(world),
    ...decisions(world),
    ...incidents(world),
    ...talk(world),
    ...chatter(world),
  ];
  const lines = random.shuffled(pieces).flatMap((piece) => piece.lines);
  return {
    statements: lines.map((line, at) => ({ at: new Date(started + Math.floor(at / 12) * DAY_MS), ...line, thread })),
    questions: pieces.flatMap(({ questions }) => questions),
  };
}

interface World {
  readonly id: () => string;
  readonly service: string;
  readonly people: readonly string[];
  readonly random: Random;
  /** In milliseconds since the epoch. */
  readonly started: number;
}

function counted(thread: string): () => string {
  let last = 0;
  return () => `${thread}:${++last}`;
}

function told({ id, people, random }: World, text: string, more: Partial<Said> = {}): Said {
  return { id: id(), text, author: random.pick(people), ...more };
}

/** Facts asked for in the words of the statement, and in other inflections of them. */
function facts(world: World): Piece[] {
  const { service, random, people } = world;
  const vendor = random.name();
  const lead = random.pick(people);
  const author = random.name();
  const port = told(world, `${service} listens on port ${8_000 + random.below(999)}`);
  const licences = told(world, `The licences were bought from ${vendor} after all, for ${service} and its tests`);
  const chosen = told(world, `${lead} was chosen for leading the ${service} migration`);
  const written = told(world, `Old ${service} docs were written by ${author} and nobody else`);
  const misspelt = `${author.slice(0, 3)}${author.charAt(2)}${author.slice(3)}`;
  return [
    piece([port], { kind: "words", query: `Which port does ${service} listen on?`, evidence: port.id }),
    piece([licences], { kind: "form", query: `Where do we buy ${service} licences?`, evidence: licences.id }),
    piece([chosen], { kind: "form", query: `Who did we choose to lead migrating ${service}?`, evidence: chosen.id }),
    piece(
      [written],
      { kind: "form", query: `Who writes the docs of ${service}?`, evidence: written.id },
      {
        kind: "name",
        query: `What did ${misspelt} do for us?`,
        evidence: written.id,
      },
    ),
  ];
}

/** Facts asked for in other words, except for the name. */
function paraphrases(world: World): Piece[] {
  const { service, random } = world;
  return random
    .shuffled(PARAPHRASES)
    .slice(0, 4)
    .map(([said, query]) => {
      const line = told(world, said.replace("*", service));
      return piece([line], { kind: "paraphrase", query: query.replace("*", service), evidence: line.id });
    });
}

/** A decision that was replaced by another. */
function decisions(world: World): Piece[] {
  const { service, random } = world;
  const [before = "", after = ""] = random.shuffled(DAYS);
  const newer = told(world, `From now on ${service} is released on ${after}s`);
  const older = told(world, `We release ${service} on ${before}s`, { endedBy: newer.id });
  return [
    { lines: [older], questions: [] },
    piece([newer], { kind: "superseded", query: `On which day do we release ${service}?`, evidence: newer.id }),
  ];
}

/** Similar incidents on different days, each reported the day after. */
function incidents(world: World): Piece[] {
  const { service, random, started } = world;
  return random
    .shuffled(EVENTS)
    .slice(0, 4)
    .map((event, index) => {
      const day = started + (20 + index * 9) * DAY_MS;
      const date = new Date(day).toLocaleDateString("en-GB", {
        day: "numeric",
        month: "long",
        year: "numeric",
        timeZone: "UTC",
      });
      const line = told(world, `Yesterday ${service} ${event} for a while`, { at: new Date(day + DAY_MS) });
      return piece([line], { kind: "date", query: `What happened to ${service} on ${date}?`, evidence: line.id });
    });
}

/** Questions that the next line answers in other words, and what people say of themselves. */
function talk(world: World): Piece[] {
  const { service, random, people } = world;
  const answers = random
    .shuffled(THINGS)
    .slice(0, 3)
    .map((thing) => {
      const question = told(world, `Does anybody remember where we keep the ${service} ${thing}?`);
      const answer = told(world, `${random.pick(PLACES)}, as far as I remember`);
      const query = `Where are the ${thing} of ${service}?`;
      return piece([question, answer], { kind: "answer", query, evidence: answer.id });
    });
  const opinions = random
    .shuffled(people)
    .slice(0, 3)
    .map((author) => {
      const line = told(world, `For ${service} I prefer ${random.pick(LIKES)}`, { author });
      return piece([line], { kind: "author", query: `What does ${author} prefer for ${service}?`, evidence: line.id });
    });
  return [...answers, ...opinions];
}

/** Chatter in much the same words that no question asks for. */
function chatter(world: World): Piece[] {
  const { service, random, people } = world;
  const made = [
    () => `The ${service} dashboard looks fine on my side`,
    () => `${random.pick(people)}, can you look at ${service} before lunch?`,
    () => `I release nothing on ${random.pick(DAYS)}s, it only makes trouble`,
    () => `${random.pick(people)} asked who leads what in the migration of the old tests`,
    () => `Thanks ${random.pick(people)}, that helped`,
    () => `Do we keep the ${random.pick(THINGS)} for another year?`,
    () => `Something on port ${3_000 + random.below(999)} answers, whatever it is`,
    () => `What happened in the meeting? I was on the train`,
    () => `We should buy ${random.pick(THINGS)} only once we need them`,
    () => `${random.pick(people)} prefers to talk on ${random.pick(DAYS)}s`,
  ];
  return Array.from({ length: CHATTER + random.below(10) }, () => ({
    lines: [told(world, random.pick(made)())],
    questions: [],
  }));
}

function piece(lines: readonly Said[], ...questions: readonly Asked[]): Piece {
  return { lines, questions };
}
