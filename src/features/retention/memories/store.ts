import type { Client } from "../../../core/store/database/client.ts";
import { BATCH } from "../store.ts";

/** Where something was told outside a run: by a command in a thread. */
export interface ToldIn {
  /** The thread as memories name it: `slack:C1:1700000000.000100`. */
  readonly source: string;
  /** Whose memories may have been told there: `channel:slack:C1`. */
  readonly scopes: readonly string[];
}

/** What a person has told, and what is told of them. */
export function aboutOrBy(personId: string) {
  return { OR: [{ authorId: personId }, { scope: `person:${personId}` }] };
}

function toldThere({ source, scopes }: ToldIn) {
  return { scope: { in: [...scopes] }, source, runId: null };
}

/** Each forgets a batch at most, and answers how many there were. */
export function memoryDeletion(db: Client) {
  const forget = async (where: object): Promise<number> => {
    const rows = await db.memory.findMany({ where, take: BATCH, select: { id: true } });
    const id = { in: rows.map((row) => row.id) };
    // What they had taken the place of holds again.
    await db.memory.updateMany({ where: { endedBy: id }, data: { endedAt: null, endedBy: null } });
    return (await db.memory.deleteMany({ where: { id } })).count;
  };
  return {
    /** What runs have told, or was learned of them. */
    forgetOfRuns: (runIds: readonly string[]) => forget({ runId: { in: [...runIds] } }),

    forgetToldIn: (place: ToldIn) => forget(toldThere(place)),

    forgetOfPerson: (personId: string) => forget(aboutOrBy(personId)),

    /** What nobody has pinned, and no run was given since. */
    forgetUnused: (before: number) => forget({ isPinned: false, usedAt: { lt: new Date(before) } }),

    async count(runIds: readonly string[], places: readonly ToldIn[]): Promise<number> {
      return db.memory.count({ where: { OR: [{ runId: { in: [...runIds] } }, ...places.map(toldThere)] } });
    },
  };
}
