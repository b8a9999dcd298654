import { z } from "zod";
import { type Client, mapRow, type Stored } from "./database/client.ts";

const kindSchema = z.enum(["settings", "skill", "agent", "instructions"]);

/** One version of something set on the page, and its author. The newest of a kind and name is in force. */
export interface Revision {
  readonly kind: RevisionKind;
  /** The thing that was set; empty for kinds that have only one. */
  readonly name: string;
  /** From 1, without gaps. */
  readonly number: number;
  /** Null if the setting was taken back. */
  readonly content: string | null;
  /** An account's name, or `operator` for whoever holds the page's key on this machine. */
  readonly by: string;
  readonly at: number;
}

type RevisionKind = z.infer<typeof kindSchema>;

/** The revision was saved, or a newer one exists than the author has seen. */
type Revised =
  | { readonly type: "saved"; readonly revision: Revision }
  | { readonly type: "conflict"; readonly newest: Revision | null };

type Named = Pick<Revision, "kind" | "name">;

export function revisionReads(db: Client) {
  const newest = async (named: Named): Promise<Revision | null> => {
    return mapRow(await db.revision.findFirst({ where: named, orderBy: { number: "desc" } }), toRevision);
  };
  return {
    /** The newest revision; null if nothing was ever set. */
    newest,

    /** The newest revision of each name, sorted by name, including those that take a setting back. */
    async newestOf(kind: RevisionKind): Promise<Revision[]> {
      const last = await db.revision.groupBy({ by: ["name"], where: { kind }, _max: { number: true } });
      if (last.length === 0) return [];
      const OR = last.map(({ name, _max }) => ({ name, number: _max.number ?? 0 }));
      return (await db.revision.findMany({ where: { kind, OR }, orderBy: { name: "asc" } })).map(toRevision);
    },

    /** Revisions, newest first. `before`: the number to continue from. */
    async history({ kind, name }: Named, { before, limit }: { before?: number; limit: number }): Promise<Revision[]> {
      const where = { kind, name, ...(before === undefined ? {} : { number: { lt: before } }) };
      const rows = await db.revision.findMany({ where, orderBy: { number: "desc" }, take: limit });
      return rows.map(toRevision);
    },

    /** Number of revisions. None is ever deleted, so another count means that something was set. */
    count: () => db.revision.count(),
  };
}

export function revisionWrites(db: Client) {
  const reads = revisionReads(db);
  return {
    ...reads,

    /** Adds a revision. `after`: the number that the author has seen, 0 for none. `id` must be new. */
    async add(id: string, after: number, revision: Omit<Revision, "number">): Promise<Revised> {
      const { kind, name } = revision;
      const newest = await reads.newest({ kind, name });
      if ((newest?.number ?? 0) !== after) return { type: "conflict", newest };
      const number = after + 1;
      const row = await db.revision.upsert({
        where: { kind_name_number: { kind, name, number } },
        create: { ...revision, id, number, at: new Date(revision.at) },
        // If another author added this number at the same moment, theirs stays.
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
