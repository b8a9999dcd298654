import type { OpenFeature } from "../../feature.ts";

type Note = NonNullable<OpenFeature["watchRun"]>;

/** A run's view closes shortly before its end is stored; after this delay it is read again. In milliseconds. */
export const STORED_MS = 700;

/** An answer as written so far, from its beginning. */
export interface StreamedAnswer {
  /** Different for each model call. */
  readonly id: string;
  readonly text: string;
}

/** The answers that models are writing in this process's runs. */
export interface StreamedAnswers {
  readonly note: Note;
  /** Null if nothing is being written in the session. */
  readonly in: (sessionId: string) => StreamedAnswer | null;
}

/** Keeps answers even while no page is open, so that one opened in mid-answer shows it from its beginning. */
export function createStreamedAnswers(clock: { now(): number }): StreamedAnswers {
  const answers = new Map<string, StreamedAnswer>();
  // Keeps ids distinct from those of an earlier process.
  const begun = clock.now().toString(36);
  let count = 0;
  return {
    in: (sessionId) => answers.get(sessionId) ?? null,
    note: ({ sessionId }, event) => {
      if (event.type === "turn_start") {
        count += 1;
        answers.set(sessionId, { id: `${begun}.${count}`, text: "" });
      }
      if (event.type === "closed") answers.delete(sessionId);
      const answer = answers.get(sessionId);
      if (answer === undefined) return;
      if (event.type === "token") answers.set(sessionId, { ...answer, text: answer.text + event.text });
      if (event.type === "text_discarded") answers.set(sessionId, { ...answer, text: "" });
    },
  };
}

/** Length of the common beginning of two texts, in characters. */
export function commonPrefixLength(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
