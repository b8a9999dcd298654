/** Workspaces and channels known to have a row with that name, so that they are written only when they change. */
export interface KnownChannels {
  has(id: string, name: string): boolean;
  /** Within a transaction; takes effect when that is committed. */
  stored(id: string, name: string): void;
}

/** More than a team has. */
const MAX_KNOWN = 10_000;

/** What this process knows of workspaces and channels, across its transactions. */
export class ChannelMemory {
  #names = new Map<string, string>();

  /** Begins a transaction's view, merged by `committed`. `isTrusted`: whether the transaction relied on the memory. */
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
        if (this.#names.size + stored.size > MAX_KNOWN) this.#names.clear();
        for (const [id, name] of stored) this.#names.set(id, name);
      },
    };
  }

  /** Forgets everything, after rows were removed behind this process's back. */
  forget(): void {
    this.#names.clear();
  }
}
