import type { Client } from "../../../core/store/database/client.ts";
import { BATCH } from "../store.ts";

/** Where something was told outside a run: by a command in a thread. */
export interface ToldIn {
  /** The thread as memories name it: `slack:C1:1700000000.000100`. */
  readonly source: string;
  /** Whose memories may have been told there: `channel:slack:C1`. */
  readonly scopes: readonly string[];
}

export function memoryDeletion(db: Client) {
  const forget = async (where: object): Promise<number> => {
    const rows = await db.memory.findMany({ where, take: BATCH, select: { seq: true, id: true } });
    const ids = rows.map(({ id }) => id);
    // What they had taken the place of holds again.
    await db.memory.updateMany({ where: { endedBy: { in: ids } }, data: { endedAt: null, endedBy: null } });
    return (await db.memory.deleteMany({ where: { id: { in: ids } } })).count;
  };
  return {
    /** At most a batch of what runs have told, or was learned of them; answers how many there were. */
    forgetOfRuns: (runIds: readonly string[]) => forget({ runId: { in: [...runIds] } }),

    forgetToldIn: ({ source, scopes }: ToldIn) => forget({ scope: { in: [...scopes] }, source, runId: null }),

    /** At most a batch of what nobody has pinned, and no run was given since. */
    forgetUnused: (before: number) => forget({ isPinned: false, usedAt: { lt: new Date(before) } }),

    async count(runIds: readonly string[], places: readonly ToldIn[]): Promise<number> {
      const told = places.map(({ source, scopes }) => ({ scope: { in: [...scopes] }, source, runId: null }));
      return db.memory.count({ where: { OR: [{ runId: { in: [...runIds] } }, ...told] } });
    },
  };
}
