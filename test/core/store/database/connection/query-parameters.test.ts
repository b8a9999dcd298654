import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { z } from "zod";
import { useEmptiedDatabases, useEmptiedPostgres } from "../../../../support/database/emptied-databases.ts";

const file = useEmptiedDatabases();
const postgres = useEmptiedPostgres();

const debugSchema = z.object({ getLogs: z.custom<(chars: number) => string>((value) => typeof value === "function") });

/** Log lines that Prisma keeps in memory; each adapter has its own copy of the logging package. */
async function kept(within: string): Promise<string> {
  const entry = path.resolve("node_modules", within, "@prisma/debug/dist/index.mjs");
  return debugSchema.parse(await import(pathToFileURL(entry).href)).getLogs(1_000_000);
}

test.each([
  { name: "SQLite", open: file, within: "", keeps: false },
  {
    name: "PostgreSQL",
    open: async () => (await postgres()).store,
    within: "@prisma/adapter-pg/node_modules",
    keeps: true,
  },
])("cached statements of $name's adapter do not keep query parameters in memory", async ({ open, within, keeps }) => {
  const store = await open();
  const named = { kind: "settings", name: "what was asked for" } as const;
  const revision = { ...named, content: "what was written", by: "ana", at: 1 };
  await store.transaction((tx) => tx.revisions.add("rev_1", 0, revision));
  expect(await store.revisions.newest(named)).toMatchObject({ content: "what was written" });
  const statements = await kept(within);
  expect(statements.includes("Revision")).toBe(keeps);
  expect(statements).not.toMatch(/what was (?:asked for|written)/u);
});
