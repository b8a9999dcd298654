import type { OpenFeature } from "../../feature.ts";

type Note = NonNullable<OpenFeature["watchRun"]>;

/** A view closes before the store knows that its run has ended: then it is looked at again. Milliseconds. */
export const STORED_MS = 700;

/** What has come of an answer, from its beginning. */
export interface Answer {
  /** Another one for each call of a model. */
  readonly id: string;
  readonly text: string;
}

/** What models write at this moment in runs of this process. */
export interface Writing {
  readonly note: Note;
  /** Null where nothing is written in the session. */
  readonly in: (sessionId: string) => Answer | null;
}

/** Also while no page is open: whoever opens a session in the midst of an answer reads it from its beginning. */
export function createWriting(clock: { now(): number }): Writing {
  const answers = new Map<string, Answer>();
  // Ids of a process before this one are others.
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

/** How many characters two texts begin alike with. */
export function sameFor(one: string, other: string): number {
  if (other.startsWith(one)) return one.length;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
