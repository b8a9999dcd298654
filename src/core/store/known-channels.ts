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

  /** For one transaction; `committed` takes over what it has stored. `isTrusted`: it took for granted what is remembered. */
  begin(): KnownChannels & { committed(): void; isTrusted(): boolean } {
    const stored = new Map<string, string>();
    let isTrusted = false;
    return {
      has: (id, name) => {
        const isKnown = (stored.get(id) ?? this.#names.get(id)) === name;
        if (isKnown && !stored.has(id)) isTrusted = true;
        return isKnown;
      },
      isTrusted: () => isTrusted,
      stored: (id, name) => {
        stored.set(id, name);
      },
      committed: () => {
        if (this.#names.size + stored.size > MOST_KNOWN) this.#names.clear();
        for (const [id, name] of stored) this.#names.set(id, name);
      },
    };
  }

  /** Somebody has removed rows behind this process's back. */
  forget(): void {
    this.#names.clear();
  }
}
