/** The memories of a channel that the viewer may read. */
export interface TeamMemories {
  /** The newest first, or the best matches first for a search. */
  readonly rows: readonly TeamMemory[];
  /** Cursor of the next page; null if there is none. */
  readonly next: string | null;
  /** Total number; null for a search, which returns only the best matches. */
  readonly count: number | null;
  readonly isPaused: boolean;
  /** Whether the viewer may add memories in the channel and turn them off. */
  readonly mayAct: boolean;
}

export interface TeamMemory {
  readonly seq: number;
  readonly text: string;
  readonly kind: string;
  /** Scope of the memory. One from `elsewhere`, another open channel of the workspace, is changed there. */
  readonly scope: "channel" | "elsewhere" | "person" | "workspace";
  /** Display name of the author at that time. */
  readonly author: string;
  /** Time at which it was said, as recorded. */
  readonly said: string;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
  readonly uses: number;
  readonly isPinned: boolean;
  /** True if it came from a web page, a file or the like instead of a person here. */
  readonly isFromOutside: boolean;
  /** When it was superseded, in milliseconds since the epoch; null if it still holds. */
  readonly endedAt: number | null;
  /** Address of its thread; null if the thread has none. */
  readonly link: string | null;
  readonly mayChange: boolean;
}
