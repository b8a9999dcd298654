import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import BetterSqlite3 from "better-sqlite3";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { startPostgres } from "../support/database/postgres.ts";
import { hold, text, toolUse } from "../support/model/model-script.ts";
import { until, untilIdle } from "../support/program/bot.ts";
import { countOnTheWire } from "../support/program/wire-counter.ts";
import { useShared } from "../support/run/use-shared.ts";
import { answers, putFile, type SceneThread, slackScene } from "../support/talk/scene.ts";

/** Statements of recalling, which has its own limit. */
const RECALL = /"Memory(?:Pause|Use|Index)?"/;

/**
 * Statements that are independent of answers: locks, timers of jobs, and the metrics that show when the program is
 * idle.
 */
const ELSEWHERE = /advisory|^SELECT 1|"(?:Job|JobOccurrence|RunFeedback)"|"Run"\."status" = \$1 ORDER BY/;

/** The query, every ten seconds, for work that jobs' runs have left behind, which reads the run's event. */
const LEFT_AT_WORK = /"InboxEvent"\."seq" = \$1 AND 1=1/;

/** The cost of a live message besides its answer: its post, its last state, and the note that it is in place. */
const LIVE = { statements: 14, commits: 4 };

interface Counted {
  readonly env: Record<string, string>;
  /** Texts of the statements executed since the last call, BEGIN and COMMIT included. */
  take(): readonly string[];
  /** Number of rows that a query without parameters finds. The query itself is not counted. */
  found(sql: string): Promise<number>;
  close(): Promise<void>;
}

/** Rewrites a statement of SQLite's dialect in PostgreSQL's. */
function asOnPostgres(sql: string): string {
  let number = 0;
  return sql
    .replaceAll("`main`.", "")
    .replaceAll("`", '"')
    .replaceAll("?", () => `$${++number}`);
}

const DATABASES: Record<string, () => Promise<Counted>> = {
  async PostgreSQL() {
    const postgres = await startPostgres();
    const url = await postgres.createDatabase();
    const beside = new Client({ connectionString: url });
    await beside.connect();
    const wire = await countOnTheWire(url);
    return {
      env: { DATABASE_URL: wire.url },
      take: () => wire.take(),
      found: async (sql) => (await beside.query(sql)).rowCount ?? 0,
      async close() {
        await wire[Symbol.asyncDispose]();
        await beside.end();
        await postgres.stop();
      },
    };
  },
  async SQLite() {
    const directory = mkdtempSync(path.join(tmpdir(), "deckhand-statements-"));
    const file = path.join(directory, "deckhand.db");
    const log = path.join(directory, "statements");
    writeFileSync(log, "");
    let read = 0;
    return {
      env: {
        DATABASE_URL: `file:${file}`,
        NODE_OPTIONS: `--import=${pathToFileURL(path.resolve("test/support/database/sqlite-statements.mjs")).href}`,
        STATEMENTS_OF: file,
        STATEMENTS_TO: log,
      },
      take() {
        const lines = readFileSync(log, "utf8").split("\n").slice(0, -1);
        const taken = lines.slice(read).map((line) => asOnPostgres(z.string().parse(JSON.parse(line))));
        read = lines.length;
        return taken;
      },
      async found(sql) {
        const beside = new BetterSqlite3(file, { readonly: true });
        try {
          return beside.prepare(sql).all().length;
        } finally {
          beside.close();
        }
      },
      async close() {
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
};

let database: Counted;
let scene: Awaited<ReturnType<typeof slackScene>>;

/**
 * Counts what the database receives for one answer in a new thread, after `tools` calls of `read`. On a slow machine a
 * live message appears before any answer, so every answer waits for its live message, whose cost is not counted.
 */
async function counted(
  tools: number,
): Promise<{ recalls: number; statements: number; commits: number; sent: readonly string[]; thread: SceneThread }> {
  const from = scene.model.requests.length;
  const gate = hold();
  scene.model.script((_request, index) =>
    index - from < tools ? toolUse("read", { path: "notes.txt" }) : [gate.part, text("It says to remember the milk.")],
  );
  await stillness();
  const thread = scene.mention("what do the notes say?");
  await thread.until((messages) => messages.some(({ buttons }) => buttons.some((id) => id.startsWith("stop:"))));
  gate.release();
  await thread.until((messages) => answers(messages).length > 0);
  const all = await stillness();
  const recalls = all.filter((statement) => RECALL.test(statement)).length;
  const look = all.findIndex((statement) => LEFT_AT_WORK.test(statement));
  const sent = all.filter((statement, index) => !RECALL.test(statement) && index !== look);
  const commits = sent.filter((each) => each === "COMMIT").length;
  return { recalls, statements: sent.length - LIVE.statements, commits: commits - LIVE.commits, sent, thread };
}

/**
 * Waits until all earlier work is written, and returns its statements. The note that a message is in its last state may
 * be written after the run has ended.
 */
async function stillness(): Promise<readonly string[]> {
  await untilIdle(scene.bot);
  const open = `SELECT 1 FROM "Post" WHERE "state" = 'intent' OR ("closing" <> '' AND "shownAt" IS NULL)`;
  const areShown = async () => (await database.found(open)) === 0;
  await until(areShown, { what: () => "all messages to stand as they shall" });
  return database.take().filter((statement) => !ELSEWHERE.test(statement));
}

describe.each(Object.entries(DATABASES))("on %s", (_name, open) => {
  useShared(
    async () => {
      database = await open();
      scene = await slackScene({ env: database.env });
      await scene.bot.start();
      putFile(scene, "notes.txt", "remember the milk\n");
      // The warm-up before the first message ends with a rollback.
      const sent: string[] = [];
      const isWarm = () => sent.push(...database.take()) > 0 && sent.includes("ROLLBACK");
      await until(isWarm, { what: () => "the program to have warmed up" });
      // The first answer stores workspace, channel and people, so later ones do not.
      await counted(0);
    },
    async () => {
      await scene[Symbol.asyncDispose]();
      await database.close();
    },
  );

  test("an answer takes at most 28 statements and 6 commits", async () => {
    const { statements, commits, sent } = await counted(0);
    expect(statements, sent.join("\n")).toBeLessThanOrEqual(28);
    expect(commits).toBeLessThanOrEqual(6);
  });

  test("recalling memories takes at most 3 statements, and one more if one is used", async () => {
    const found = await scene.slack.people.command("/memory", "add the notes say to remember the milk").answered;
    expect(found).not.toBeNull();
    const { recalls, statements, sent } = await counted(0);
    expect(scene.model.requests.at(-1)?.lastUserText).toContain("<memories");
    expect(recalls).toBeGreaterThan(0);
    expect(recalls).toBeLessThanOrEqual(4);
    expect(statements, sent.join("\n")).toBeLessThanOrEqual(28);
  });

  test("a further turn with a tool takes at most 15 statements and 3 commits", async () => {
    const [one, two] = [await counted(1), await counted(2)];
    expect(two.statements - one.statements, two.sent.join("\n")).toBeLessThanOrEqual(15);
    expect(two.commits - one.commits).toBeLessThanOrEqual(3);
  });

  test("in a checkout with instructions pending approval an answer takes at most two more statements", async () => {
    putFile(scene, ".git/HEAD", "ref: refs/heads/main\n");
    putFile(scene, "AGENTS.md", "Deploy from the main branch only.\n");
    const { thread } = await counted(0);
    await thread.until((messages) => messages.some(({ byBot, text: said }) => byBot && said.includes("AGENTS.md")));
    const { statements, commits, sent } = await counted(0);
    expect(sent.some((statement) => statement.includes('"Grant"'))).toBe(true);
    expect(statements, sent.join("\n")).toBeLessThanOrEqual(30);
    expect(commits).toBeLessThanOrEqual(6);
  });

  test("deleting a message that is no request takes one statement, and an old one none", async () => {
    const { people, workspace } = scene.slack;
    const remark = workspace.add({ channel: "C0001", user: "U0BOB", text: "lunch?" });
    const old = workspace.add({ channel: "C0001", user: "U0BOB", text: "lunch?", ts: "1500000000.000100" });
    await stillness();
    await people.delete(old).answered;
    expect(await stillness()).toEqual([]);
    await people.delete(remark).answered;
    expect(await stillness()).toEqual([expect.stringMatching(/^SELECT .*"InboxEvent"."key" IN /u)]);
  });
});
