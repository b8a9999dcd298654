/** An agent or a skill as shown on the web page, from what is shipped and what the operator's files say. */
export interface Definition {
  readonly name: string;
  /** The description in force; empty if the definition is broken. */
  readonly description: string;
  /** The text shipped with the program; null if there is none of that name. */
  readonly shipped: string | null;
  /** The operator's own definition, which overrides the page's; null if there is none. */
  readonly own: OwnDefinition | null;
  /** Other properties, as pairs of words. */
  readonly facts: readonly Fact[];
}

export interface OwnDefinition {
  /** A path, or the key in the settings file. */
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

/** The problems of a text, and notes about parts that are ignored. */
export interface DefinitionCheck {
  readonly problems: readonly DefinitionProblem[];
  readonly notes: readonly string[];
}

export type DefinitionTexts = ReadonlyMap<string, string>;

/** The texts of the newest revisions, without those that undo a definition. */
export function textsIn(newest: Iterable<{ readonly name: string; readonly content: string | null }>): DefinitionTexts {
  return new Map([...newest].flatMap(({ name, content }) => (content === null ? [] : [[name, content]])));
}

/** The definitions of one kind, some of which are set on the page. */
export interface DefinitionSet {
  /** All definitions, including those made on the page, in order of name. */
  all(): readonly Definition[];
  check(name: string, text: string): DefinitionCheck;
  /** The problems of files, one line each. */
  problems(): readonly string[];
  /** Replaces the texts that the page has set. They override what is shipped. */
  set(texts: DefinitionTexts): void;
}
