/** What is remembered in a channel, as far as somebody may read it there. */
export interface TeamMemories {
  /** The newest first; of a search, the best first. */
  readonly rows: readonly TeamMemory[];
  /** What brings the rest; null: there is none. */
  readonly next: string | null;
  /** How many there are; null for a search, which finds the best. */
  readonly count: number | null;
  readonly isPaused: boolean;
  /** The viewer is somebody there who may add and turn off. */
  readonly mayAct: boolean;
}

export interface TeamMemory {
  readonly seq: number;
  readonly text: string;
  readonly kind: string;
  /** Whom it is for. `elsewhere`: another open channel of the workspace, where it is changed. */
  readonly scope: "channel" | "elsewhere" | "person" | "workspace";
  /** Who told it, as they were called. */
  readonly author: string;
  /** When it was said, as it was written down. */
  readonly said: string;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
  readonly uses: number;
  readonly isPinned: boolean;
  /** Nobody here has said it: it came with a page, a file or the like. */
  readonly isFromOutside: boolean;
  /** When something else took its place: milliseconds since the epoch; null: it holds. */
  readonly endedAt: number | null;
  /** Where its thread is to be read; null where that has no address. */
  readonly link: string | null;
  readonly mayChange: boolean;
}
