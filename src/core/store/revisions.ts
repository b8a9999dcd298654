import { z } from "zod";
import { type Client, found, type Stored } from "./database/client.ts";

const kindSchema = z.enum(["settings", "skill", "agent", "instructions"]);

/** What was set on the page, and by whom: one of a row of them, of which the newest holds. */
export interface Revision {
  readonly kind: RevisionKind;
  /** What it is of; empty where a kind has but one. */
  readonly name: string;
  /** From 1, without a gap. */
  readonly number: number;
  /** Null: what was set is taken back. */
  readonly content: string | null;
  /** An account's name; `operator`: whoever holds the page's key on this machine. */
  readonly by: string;
  readonly at: number;
}

type RevisionKind = z.infer<typeof kindSchema>;

/** Saved under its number, or another one is newer than the one that the author has seen. */
type Revised =
  | { readonly type: "saved"; readonly revision: Revision }
  | { readonly type: "conflict"; readonly newest: Revision | null };

type Named = Pick<Revision, "kind" | "name">;

export function revisionReads(db: Client) {
  const newest = async (named: Named): Promise<Revision | null> => {
    return found(await db.revision.findFirst({ where: named, orderBy: { number: "desc" } }), toRevision);
  };
  return {
    /** Null: nothing was ever set. */
    newest,

    /** The newest of each name, by name; those that are taken back among them. */
    async newestOf(kind: RevisionKind): Promise<Revision[]> {
      const last = await db.revision.groupBy({ by: ["name"], where: { kind }, _max: { number: true } });
      if (last.length === 0) return [];
      const OR = last.map(({ name, _max }) => ({ name, number: _max.number ?? 0 }));
      return (await db.revision.findMany({ where: { kind, OR }, orderBy: { name: "asc" } })).map(toRevision);
    },

    /** The newest first; `before`: a number to go on from. */
    async history({ kind, name }: Named, { before, limit }: { before?: number; limit: number }): Promise<Revision[]> {
      const where = { kind, name, ...(before === undefined ? {} : { number: { lt: before } }) };
      const rows = await db.revision.findMany({ where, orderBy: { number: "desc" }, take: limit });
      return rows.map(toRevision);
    },

    /** How many there are: since none ever goes, another count says that something was set. */
    count: () => db.revision.count(),
  };
}

export function revisionWrites(db: Client) {
  const reads = revisionReads(db);
  return {
    ...reads,

    /** `after`: the number that the author has seen, 0 for none. The id is the caller's, and new. */
    async add(id: string, after: number, revision: Omit<Revision, "number">): Promise<Revised> {
      const { kind, name } = revision;
      const newest = await reads.newest({ kind, name });
      if ((newest?.number ?? 0) !== after) return { type: "conflict", newest };
      const number = after + 1;
      const row = await db.revision.upsert({
        where: { kind_name_number: { kind, name, number } },
        create: { ...revision, id, number, at: new Date(revision.at) },
        // Somebody has added one at the same moment: theirs stays.
        update: { number },
      });
      const added = toRevision(row);
      return row.id === id ? { type: "saved", revision: added } : { type: "conflict", newest: added };
    },
  };
}

function toRevision({ id: _id, kind, at, ...row }: Stored<"Revision">): Revision {
  return { ...row, kind: kindSchema.parse(kind), at: at.getTime() };
}
