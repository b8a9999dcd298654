/** An agent or a skill as the page shows it: what is shipped, and what the operator's files say. */
export interface Definition {
  readonly name: string;
  /** As it holds now; empty where it is broken. */
  readonly description: string;
  /** As it comes with the program; null: nothing of that name does. */
  readonly shipped: string | null;
  /** Where the operator has written it down: what stands there wins over the page. Null: nowhere. */
  readonly own: OwnDefinition | null;
  /** What else holds of it, as pairs of words. */
  readonly facts: readonly Fact[];
}

export interface OwnDefinition {
  /** A path, or the key of the settings file. */
  readonly place: string;
  readonly text: string;
}

export interface Fact {
  readonly term: string;
  readonly words: string;
}

export interface DefinitionProblem {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

/** What is wrong with a text, and what of it means nothing here. */
export interface DefinitionCheck {
  readonly problems: readonly DefinitionProblem[];
  readonly notes: readonly string[];
}

/** Texts by name. */
export type DefinitionTexts = ReadonlyMap<string, string>;

/** The newest revisions, without those that take something back. */
export function textsIn(newest: Iterable<{ readonly name: string; readonly content: string | null }>): DefinitionTexts {
  return new Map([...newest].flatMap(({ name, content }) => (content === null ? [] : [[name, content]])));
}

/** The definitions of one kind, of which the page sets some. */
export interface DefinitionSet {
  /** In order of name; those that the page has made among them. */
  all(): readonly Definition[];
  check(name: string, text: string): DefinitionCheck;
  /** What is wrong with files, a line each. */
  problems(): readonly string[];
  /** What the page has set: from now on it holds in place of what is shipped, and of what was set before. */
  set(texts: DefinitionTexts): void;
}
