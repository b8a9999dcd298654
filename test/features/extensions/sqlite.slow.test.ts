import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { componentNew, preview1AdapterCommandPath } from "@bytecodealliance/jco";
import { expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { extensionSession, fixture, useExtensionSandbox } from "./extension-session.ts";

const place = useExtensionSandbox();

/** fixtures/sqlite/main.c with SQLite itself, as fixtures/sqlite/build.sh compiles it, as a component. */
function sqlite(): Promise<Uint8Array> {
  const adapter = readFileSync(preview1AdapterCommandPath());
  const module = Uint8Array.from(brotliDecompressSync(fixture("sqlite/sqlite.wasm.br")));
  return componentNew(module, [["wasi_snapshot_preview1", adapter]]);
}

/** What a busy machine may take for the largest of them. */
const SLOW_MS = 300_000;

/** Runs statements on shop.db with the program. */
async function shop() {
  const session = extensionSession(place);
  session.add(
    "sqlite",
    { permission: "write", arguments: ["shop.db", "{sql}"], input: { type: "object" }, limits: { timeoutMs: SLOW_MS } },
    await sqlite(),
  );
  const run = async (sql: string): Promise<string> => textOf((await session.run("sqlite", { sql })).content);
  return { run, root: session.root, size: () => statSync(path.join(session.root, "shop.db")).size };
}

/** So many megabytes of rows. */
const rows = (megabytes: number): string =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${megabytes * 1_000})
   INSERT INTO items SELECT i, randomblob(1000) FROM n`;

test("SQLite's VACUUM in a component shrinks the database, using a temporary file that is unlinked while open", async () => {
  const { run, root, size } = await shop();
  await run(`CREATE TABLE items (id INTEGER PRIMARY KEY, data BLOB); ${rows(2)}; DELETE FROM items WHERE id % 4 > 0`);
  const before = size();
  // A cache of ten pages: all else goes through the temporary file.
  const sql = "PRAGMA cache_size = 10; VACUUM; PRAGMA integrity_check; SELECT count(*) FROM items";
  expect(await run(sql)).toBe("ok\n500");
  expect(size()).toBeLessThan(before / 2);
  expect(readdirSync(root)).toEqual(["shop.db"]);
});

test("a VACUUM that exceeds the quota is an SQLite error, and the database stays intact", async () => {
  const { run, root } = await shop();
  await run(`CREATE TABLE items (id INTEGER PRIMARY KEY, data BLOB); ${rows(24)}`);
  expect(await run("VACUUM")).toMatch(/^(?:database or disk is full|disk I\/O error)\nExit code 1\.$/);
  expect(await run("PRAGMA integrity_check; SELECT count(*) FROM items")).toBe("ok\n24000");
  expect(readdirSync(root)).toEqual(["shop.db"]);
});
