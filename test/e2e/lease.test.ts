import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { type OwnPostgres, startOwnPostgres } from "../support/database/postgres.ts";
import { type Bot, createBot, until } from "../support/program/bot.ts";

test("a second process on one SQLite stands by, and takes over when the first dies", async () => {
  await using first = await createBot();
  await using second = await createBot({ home: first.home });
  await first.start();
  await standsBy(second);
  await first.kill("SIGKILL");
  await takesOver(second);
  expect(await second.kill("SIGTERM")).toBe(0);
});

test("on one PostgreSQL, the stand-by takes over from who dies and from who is cut off, which says so and ends with code 1", async () => {
  const postgres = await startOwnPostgres();
  onTestFinished(() => postgres.stop());
  const env = { DATABASE_URL: await postgres.createDatabase() };
  await using first = await createBot({ env });
  await using second = await createBot({ env, home: first.home });
  await first.start();
  await standsBy(second);

  // The stand-by's connection breaks, too: it connects again.
  await cutEverybodyOff(env.DATABASE_URL);
  await until(() => !isAlive(first.pid()), wait("the end of the first"));
  expect(await first.kill("SIGKILL")).toBe(1);
  expect(first.output()).toContain("✗ The database no longer answers");
  expect(first.output()).not.toContain("Unhandled");
  await takesOver(second);

  await standsBy(first);
  await second.kill("SIGKILL");
  await takesOver(first);

  // On SIGTERM it ends soon although PostgreSQL answers nothing.
  signalServer(postgres, "STOP");
  const begun = Date.now();
  await first.kill("SIGTERM");
  const tookMs = Date.now() - begun;
  signalServer(postgres, "CONT");
  expect(tookMs).toBeLessThan(8_000);
});

async function standsBy(bot: Bot): Promise<void> {
  bot.launch();
  await until(async () => (await ready(bot))?.state === "standing by", wait("the stand-by"));
  expect((await bot.probe("readyz")).status).toBe(503);
  expect((await bot.probe("healthz")).status).toBe(200);
  expect(bot.output()).toContain("Standing by");
}

async function takesOver(bot: Bot): Promise<void> {
  await until(async () => (await ready(bot))?.state === "running", wait("the takeover"));
  expect((await bot.probe("readyz")).status).toBe(200);
}

async function cutEverybodyOff(url: string): Promise<void> {
  const operator = new Client({ connectionString: url });
  await operator.connect();
  await operator.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
  );
  await operator.end();
}

/** The server and the process behind each of its connections. */
function signalServer({ directory }: OwnPostgres, signal: "STOP" | "CONT"): void {
  const [pid = ""] = readFileSync(path.join(directory, "data/postmaster.pid"), "utf8").split("\n");
  spawnSync("pkill", [`-${signal}`, "-P", pid]);
  process.kill(Number(pid), `SIG${signal}`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function ready(bot: Bot): Promise<{ state?: string } | null> {
  try {
    const body: { state?: string } = JSON.parse((await bot.probe("readyz")).text);
    return body;
  } catch {
    return null; // not listening yet
  }
}

function wait(what: string) {
  return { what: () => what };
}
