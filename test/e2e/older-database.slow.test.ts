import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { Client } from "pg";
import { expect, test } from "vitest";
import { openStore } from "../../src/core/store/store.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { PageClient } from "../adapters/web/page-client.ts";
import { startPostgres } from "../support/database/postgres.ts";
import { createBot, until } from "../support/program/bot.ts";
import { runCli } from "../support/program/cli.ts";

const THREAD = "11111111-1111-4111-8111-111111111111";

/**
 * Dump of an earlier version's database, killed while a run waited for a person's decision. Its timers are due in the
 * far future.
 */
function olderDatabase(kind: "sqlite" | "postgresql"): string {
  return readFileSync(path.resolve(import.meta.dirname, `../support/database/older-database.${kind}.sql`), "utf8");
}

test("a SQLite database of an earlier version is migrated, and its parked run continues", async () => {
  await using bot = await createBot();
  fill(path.join(bot.home, "data/deckhand.db"));
  await goesOn(bot);
});

function fill(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const connection = new BetterSqlite3(file);
  connection.pragma("foreign_keys = OFF");
  connection.exec(olderDatabase("sqlite"));
  connection.close();
}

test("a SQLite database is copied to PostgreSQL, and its parked run continues there", async () => {
  const postgres = await startPostgres();
  try {
    const url = await postgres.createDatabase();
    await using bot = await createBot({ env: { DATABASE_URL: url } });
    const file = path.join(bot.home, "data/deckhand.db");
    fill(file);
    await (await openStore(`file:${file}`, systemRuntime())).close();
    expect(await runCli(["data", "copy"], { cwd: bot.home, env: bot.env })).toMatchObject({ error: "", failed: false });
    await goesOn(bot);
    expect(bot.output()).not.toContain("deckhand data copy");
  } finally {
    await postgres.stop();
  }
});

test("a PostgreSQL database of an earlier version is migrated, and its parked run continues", async () => {
  const postgres = await startPostgres();
  try {
    const url = await postgres.createEmptyDatabase();
    const connection = new Client({ connectionString: url });
    await connection.connect();
    await connection.query(olderDatabase("postgresql"));
    await connection.end();
    await using bot = await createBot({ env: { DATABASE_URL: url } });
    await goesOn(bot);
  } finally {
    await postgres.stop();
  }
});

/** Allows the change that the run has asked for, and waits until it is made. */
async function goesOn(bot: Awaited<ReturnType<typeof createBot>>): Promise<void> {
  await bot.start();
  const page = await PageClient.open(/http:\S+/.exec(bot.output())?.[0] ?? "");
  await page.hello();
  const messages = (await page.thread(THREAD)) ?? [];
  const card = messages.find(({ body }) => body.buttons.some(({ label }) => label === "Allow once"));
  const allow = card?.body.buttons.find(({ label }) => label === "Allow once");
  const file = path.join(bot.sandboxRoot("web-main"), "notes.txt");
  expect(existsSync(file)).toBe(false);
  page.say({ type: "click", clickId: randomUUID(), messageId: card?.id ?? "", action: allow?.id ?? "" });
  await until(() => existsSync(file), { what: () => bot.output() });
  await page.next("message", ({ message }) => message.body.markdown.includes("Done: `notes.txt` is there."));
  expect(readFileSync(file, "utf8")).toBe("hello\n");
  await page.drop();
}
