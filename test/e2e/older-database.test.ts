import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { PageClient } from "../adapters/web/page-client.ts";
import { createBot, until } from "../support/program/bot.ts";

const OLDER = path.resolve(import.meta.dirname, "../support/database/older-database.sql");
const THREAD = "11111111-1111-4111-8111-111111111111";

/** The database of an earlier version that was killed while a run waited for a person's decision; its times are far ahead. */
function putOlderDatabase(home: string): void {
  const data = path.join(home, "data");
  mkdirSync(data, { recursive: true });
  const connection = new BetterSqlite3(path.join(data, "deckhand.db"));
  connection.pragma("foreign_keys = OFF");
  connection.exec(readFileSync(OLDER, "utf8"));
  connection.close();
}

test("a database of an earlier version migrates, and the run that was parked in it goes on", async () => {
  await using bot = await createBot();
  putOlderDatabase(bot.home);
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
});
