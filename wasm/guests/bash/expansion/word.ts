/** The parts of the shell's syntax tree that expansions of our own read and change. */
export interface WordPart {
  readonly type: string;
  readonly value?: string;
  readonly pattern?: string;
  readonly parameter?: string;
  readonly parts?: readonly WordPart[];
  readonly operation?: {
    readonly type: string;
    readonly operator?: string;
    readonly word?: Word | null;
    /** Whether it has a colon, for which empty is like unset. */
    readonly checkEmpty?: boolean;
  } | null;
}

export interface Word {
  readonly type: "Word";
  readonly parts: readonly WordPart[];
}

export interface Expanded {
  readonly values: readonly string[];
  readonly quoted: boolean;
}

/** The shell's own expansion. */
export type Expand = (word: Word) => Promise<Expanded>;
