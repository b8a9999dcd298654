import type { Client } from "../../core/store/database/client.ts";

export interface SealedKey {
  readonly provider: string;
  readonly sealed: string;
  /** The last characters, or empty. */
  readonly hint: string;
  /** An account's name; empty if unknown. */
  readonly by: string;
  readonly at: number;
}

export function keyReads(db: Client) {
  return {
    async all(): Promise<SealedKey[]> {
      const rows = await db.providerKey.findMany({ orderBy: { provider: "asc" } });
      return rows.map((row) => ({ ...row, at: row.at.getTime() }));
    },
  };
}

export function keyWrites(db: Client) {
  return {
    async set({ provider, at, ...rest }: SealedKey): Promise<void> {
      const data = { ...rest, at: new Date(at) };
      await db.providerKey.upsert({ where: { provider }, create: { provider, ...data }, update: data });
    },

    /** False if there was none. */
    async remove(provider: string): Promise<boolean> {
      return (await db.providerKey.deleteMany({ where: { provider } })).count > 0;
    },
  };
}
