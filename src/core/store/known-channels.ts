/** Workspaces and channels whose row is known to be there, with the name it has: they are written when they change. */
export interface KnownChannels {
  has(id: string, name: string): boolean;
  /** Within a transaction; counts when that is committed. */
  stored(id: string, name: string): void;
}

/** More than a team has. */
const MOST_KNOWN = 10_000;

/** What this process knows of them, over its transactions. */
export class ChannelMemory {
  #names = new Map<string, string>();

  /** For one transaction; `committed` takes over what it has stored. */
  begin(): KnownChannels & { committed(): void } {
    const stored = new Map<string, string>();
    return {
      has: (id, name) => (stored.get(id) ?? this.#names.get(id)) === name,
      stored: (id, name) => {
        stored.set(id, name);
      },
      committed: () => {
        if (this.#names.size + stored.size > MOST_KNOWN) this.#names.clear();
        for (const [id, name] of stored) this.#names.set(id, name);
      },
    };
  }

  /** Somebody may have removed rows behind this process's back. False where nothing was known. */
  forget(): boolean {
    const isAny = this.#names.size > 0;
    this.#names.clear();
    return isAny;
  }
}
