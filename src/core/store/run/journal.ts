import { type Client, insert } from "../database/client.ts";

export function journalReads(db: Client) {
  return {
    /** `found` tells a journalled `undefined` from a step that has not been done. */
    async get(runId: string, key: string): Promise<{ found: boolean; value: unknown }> {
      const row = await db.journalEntry.findUnique({ where: { runId_key: { runId, key } } });
      if (row === null) return { found: false, value: undefined };
      const parsed: unknown = JSON.parse(row.value);
      return { found: true, value: parsed ?? undefined };
    },

    /** Keys with this prefix, in order of time; keys put in the same millisecond are sorted by name. */
    async keysOf(runId: string, prefix: string): Promise<string[]> {
      const where = { runId, key: { startsWith: prefix } };
      const orderBy = [{ createdAt: "asc" as const }, { key: "asc" as const }];
      return (await db.journalEntry.findMany({ where, orderBy, select: { key: true } })).map(({ key }) => key);
    },
  };
}

export function journalWrites(db: Client) {
  return {
    ...journalReads(db),

    async put(runId: string, key: string, entry: { value: unknown; at: number }): Promise<void> {
      const value = JSON.stringify(entry.value ?? null);
      await db.journalEntry.create({ data: { runId, key, value, createdAt: new Date(entry.at) } });
    },

    async putAll(runId: string, entries: readonly (readonly [key: string, value: unknown])[], at: number) {
      const createdAt = new Date(at);
      const data = entries.map(([key, value]) => ({ runId, key, value: JSON.stringify(value ?? null), createdAt }));
      await insert(data, {
        one: (row) => db.journalEntry.create({ data: row, select: { key: true } }),
        many: (rows) => db.journalEntry.createMany({ data: rows }),
      });
    },
  };
}
