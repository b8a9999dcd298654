import type { Client } from "../../../core/store/database/client.ts";
import { BATCH } from "../store.ts";

/** A place where something was told outside a run, by a command in a thread. */
export interface MemorySource {
  /** The thread as memories refer to it: `slack:C1:1700000000.000100`. */
  readonly source: string;
  /** Scopes of the memories that may have been told there: `channel:slack:C1`. */
  readonly scopes: readonly string[];
}

export function aboutOrBy(personId: string) {
  return { OR: [{ authorId: personId }, { scope: `person:${personId}` }] };
}

function fromSource({ source, scopes }: MemorySource) {
  return { scope: { in: [...scopes] }, source, runId: null };
}

/** Each function deletes at most one batch of memories and returns its size. */
export function memoryDeletion(db: Client) {
  const forget = async (where: object): Promise<number> => {
    const rows = await db.memory.findMany({ where, take: BATCH, select: { id: true } });
    const id = { in: rows.map((row) => row.id) };
    // Memories that these had replaced hold again.
    await db.memory.updateMany({ where: { endedBy: id }, data: { endedAt: null, endedBy: null } });
    return (await db.memory.deleteMany({ where: { id } })).count;
  };
  return {
    /** Memories that these runs stored or that were learned from them. */
    forgetOfRuns: (runIds: readonly string[]) => forget({ runId: { in: [...runIds] } }),

    forgetToldIn: (place: MemorySource) => forget(fromSource(place)),

    forgetOfPerson: (personId: string) => forget(aboutOrBy(personId)),

    /** Memories that are not pinned and were not given to a run since. */
    forgetUnused: (before: number) => forget({ isPinned: false, usedAt: { lt: new Date(before) } }),

    async count(runIds: readonly string[], places: readonly MemorySource[]): Promise<number> {
      return db.memory.count({ where: { OR: [{ runId: { in: [...runIds] } }, ...places.map(fromSource)] } });
    },
  };
}
