import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { type OwnPostgres, startOwnPostgres } from "../support/database/postgres.ts";
import { text } from "../support/model/model-script.ts";
import { type Bot, createBot, until } from "../support/program/bot.ts";
import { reports, shown } from "../support/talk/job-scene.ts";
import { slackScene } from "../support/talk/scene.ts";

const EVERY_MS = 3_000;

test("a second process on the same SQLite file stands by, and takes over when the first dies", async () => {
  await using first = await createBot();
  await using second = await createBot({ home: first.home });
  await first.start();
  await standsBy(second);
  await first.kill("SIGKILL");
  await takesOver(second);
  expect(await second.kill("SIGTERM")).toBe(0);
});

test("on PostgreSQL the stand-by takes over from a process that dies or loses its connection, which exits with code 1; each due time of a job runs once", async () => {
  const postgres = await startOwnPostgres();
  onTestFinished(() => postgres.stop());
  const url = await postgres.createDatabase();
  await using scene = await slackScene({ env: { DATABASE_URL: url } });
  const first = scene.bot;
  await using second = await createBot({ env: first.env, home: first.home });
  // Each report names its due time.
  scene.model.script((request) =>
    text(`For ${/due (\w+ \d+ \w+ \d+ [\d:]+)/u.exec(JSON.stringify(request.body))?.[1] ?? "nothing"}.`),
  );
  await first.start();
  const job = `add --name Tick --cron "*/3 * * * * *" --timezone UTC --prompt "Look."`;
  await scene.slack.people.command("/jobs", job).answered;
  await standsBy(second);
  await reportsOneMore(first, url);

  // The stand-by's connection breaks as well; the stand-by connects again.
  await cutEverybodyOff(url);
  await until(() => !isAlive(first.pid()), wait("the end of the first"));
  expect(await first.kill("SIGKILL")).toBe(1);
  expect(first.output()).toContain("✗ The database has stopped responding");
  expect(first.output()).not.toContain("Unhandled");
  await takesOver(second);
  await reportsOneMore(second, url);

  await standsBy(first);
  await reportsOneMore(second, url);
  await second.kill("SIGKILL");
  await takesOver(first);
  await reportsOneMore(first, url);

  // SIGTERM ends the process soon even if PostgreSQL does not answer.
  signalServer(postgres, "STOP");
  const begun = Date.now();
  await first.kill("SIGTERM");
  const tookMs = Date.now() - begun;
  signalServer(postgres, "CONT");
  expect(tookMs).toBeLessThan(8_000);

  const all = await occurrences(url);
  const times = all.map(({ scheduledFor }) => scheduledFor.getTime());
  const [begin = 0] = times;
  expect(times).toEqual(times.map((_, index) => begin + index * EVERY_MS));
  const told = reports(scene).flatMap((report) => /For [^.]*\./u.exec(shown(scene, report))?.[0] ?? []);
  expect(new Set(told).size).toBe(told.length);
  const count = all.filter(hasSucceeded).length;
  expect(told.length).toBeGreaterThanOrEqual(count);
  // A run that the last process left at its shutdown continues in the next process.
  expect(told.length - count).toBeLessThanOrEqual(1);
}, 180_000);

const rowsSchema = z.array(z.object({ scheduledFor: z.date(), status: z.string() }));
type Occurrence = z.infer<typeof rowsSchema>[number];

const hasSucceeded = ({ status }: Occurrence) => status === "succeeded";

async function occurrences(url: string): Promise<readonly Occurrence[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT "scheduledFor", status FROM "JobOccurrence" ORDER BY "scheduledFor"');
    return rowsSchema.parse(rows);
  } finally {
    await client.end();
  }
}

async function reportsOneMore(bot: Bot, url: string): Promise<void> {
  const succeeded = async () => (await occurrences(url)).filter(hasSucceeded).length;
  const before = await succeeded();
  await until(async () => (await succeeded()) > before, { what: () => `another report:\n${bot.output()}` });
}

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

/** Signals the server and the process behind each of its connections. */
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
    return null; // The server does not listen yet.
  }
}

function wait(what: string) {
  return { what: () => what };
}
