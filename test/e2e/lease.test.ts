import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { expect, test } from "vitest";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { createBot, until } from "../support/program/bot.ts";

const databases = [
  { name: "SQLite", open: () => Promise.resolve({ env: {}, stop: () => Promise.resolve() }) },
  {
    name: "PostgreSQL",
    open: async () => {
      const postgres = await startPostgres();
      return { env: { DATABASE_URL: await postgres.createDatabase() }, stop: () => postgres.stop() };
    },
  },
];

test.each(databases)(
  "a second process on one $name stands by, and takes over when the first dies",
  async ({ open }) => {
    const { env, stop } = await open();
    await using first = await createBot({ env });
    await using second = await createBot({ env, home: first.home });
    await first.start();
    second.launch();
    await until(async () => (await ready(second))?.state === "standing by", wait("the stand-by"));
    expect((await second.probe("readyz")).status).toBe(503);
    expect((await second.probe("healthz")).status).toBe(200);
    expect(second.output()).toContain("Standing by");

    await first.kill("SIGKILL");
    await until(async () => (await ready(second))?.state === "running", wait("the takeover"));
    expect((await second.probe("readyz")).status).toBe(200);
    expect(await second.kill("SIGTERM")).toBe(0);
    await stop();
  },
);

test("a process that PostgreSQL cuts off says so and ends with code 1, and the stand-by takes over", async () => {
  const postgres = await startPostgres();
  const env = { DATABASE_URL: await postgres.createDatabase() };
  await using first = await createBot({ env });
  await using second = await createBot({ env, home: first.home });
  await first.start();
  second.launch();
  await until(async () => (await ready(second))?.state === "standing by", wait("the stand-by"));

  // The stand-by's connection breaks, too: it connects again.
  await cutEverybodyOff(env.DATABASE_URL);
  await until(() => !isAlive(first.pid()), wait("the end of the first"));
  expect(await first.kill("SIGKILL")).toBe(1);
  expect(first.output()).toContain("✗ The database no longer answers");
  expect(first.output()).not.toContain("Unhandled");
  await until(async () => (await ready(second))?.state === "running", wait("the takeover"));
  expect(await second.kill("SIGTERM")).toBe(0);
  await postgres.stop();
});

test("on SIGTERM a process ends within 8 s although PostgreSQL answers nothing", async () => {
  const postgres = await startPostgres();
  await using bot = await createBot({ env: { DATABASE_URL: await postgres.createDatabase() } });
  await bot.start();
  signalServer(postgres, "STOP");
  const begun = Date.now();
  await bot.kill("SIGTERM");
  const tookMs = Date.now() - begun;
  signalServer(postgres, "CONT");
  expect(tookMs).toBeLessThan(8_000);
  await postgres.stop();
});

async function cutEverybodyOff(url: string): Promise<void> {
  const operator = new Client({ connectionString: url });
  await operator.connect();
  await operator.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
  );
  await operator.end();
}

/** The server and the process behind each of its connections. */
function signalServer({ directory }: Postgres, signal: "STOP" | "CONT"): void {
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

async function ready(bot: Awaited<ReturnType<typeof createBot>>): Promise<{ state?: string } | null> {
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
