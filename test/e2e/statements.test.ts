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

/** What recalling costs, which has a bound of its own. */
const RECALL = /"Memory(?:Pause|Use|Index)?"/;

/** What goes on beside answers: locks, timers of jobs, the metrics that tell when the program is idle. */
const ELSEWHERE = /advisory|^SELECT 1|"(?:Job|JobOccurrence|RunFeedback)"|"Run"\."status" = \$1 ORDER BY/;

/** Every ten seconds it is looked for what jobs' runs have left at work, for which the run's event is read. */
const LEFT_AT_WORK = /"InboxEvent"\."seq" = \$1 AND 1=1/;

/** What a live message costs beside the answer: its post, its last state, and that it stands. */
const LIVE = { statements: 14, commits: 4 };

interface Counted {
  readonly env: Record<string, string>;
  /** The texts of what has been executed since the last call, BEGIN and COMMIT among them. */
  take(): readonly string[];
  /** How many rows a query finds that has no values; beside what is counted. */
  found(sql: string): Promise<number>;
  close(): Promise<void>;
}

/** A statement of SQLite's in PostgreSQL's words. */
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
 * What the database is sent for one answer in a new thread, before which the model calls `read` so often. A slow machine
 * shows a live message before any answer, so all answers wait for theirs: what that costs is not counted.
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

/** All that was sent for what is over: that a message stands as it shall may be written once its run has ended. */
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
      // What the program does ahead of its first message is taken back in the end.
      const sent: string[] = [];
      const isWarm = () => sent.push(...database.take()) > 0 && sent.includes("ROLLBACK");
      await until(isWarm, { what: () => "the program to have warmed up" });
      // Workspace, channel and people are known from here on.
      await counted(0);
    },
    async () => {
      await scene[Symbol.asyncDispose]();
      await database.close();
    },
  );

  test("an answer costs 28 statements and 6 commits at most", async () => {
    const { statements, commits, sent } = await counted(0);
    expect(statements, sent.join("\n")).toBeLessThanOrEqual(28);
    expect(commits).toBeLessThanOrEqual(6);
  });

  test("recalling costs 3 statements at most, and one more where something is used", async () => {
    const found = await scene.slack.people.command("/memory", "add the notes say to remember the milk").answered;
    expect(found).not.toBeNull();
    const { recalls, statements, sent } = await counted(0);
    expect(scene.model.requests.at(-1)?.lastUserText).toContain("<memories");
    expect(recalls).toBeGreaterThan(0);
    expect(recalls).toBeLessThanOrEqual(4);
    expect(statements, sent.join("\n")).toBeLessThanOrEqual(28);
  });

  test("a further turn with a tool costs 15 statements and 3 commits at most", async () => {
    const [one, two] = [await counted(1), await counted(2)];
    expect(two.statements - one.statements, two.sent.join("\n")).toBeLessThanOrEqual(15);
    expect(two.commits - one.commits).toBeLessThanOrEqual(3);
  });

  test("in a checkout whose instructions wait, an answer costs two statements more at most, once its card is there", async () => {
    putFile(scene, ".git/HEAD", "ref: refs/heads/main\n");
    putFile(scene, "AGENTS.md", "Deploy from the main branch only.\n");
    const { thread } = await counted(0);
    await thread.until((messages) => messages.some(({ byBot, text: said }) => byBot && said.includes("AGENTS.md")));
    const { statements, commits, sent } = await counted(0);
    expect(sent.some((statement) => statement.includes('"Grant"'))).toBe(true);
    expect(statements, sent.join("\n")).toBeLessThanOrEqual(30);
    expect(commits).toBeLessThanOrEqual(6);
  });

  test("a deleted message that is no request costs one statement, and an old one none", async () => {
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
