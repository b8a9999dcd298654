import { Client } from "pg";
import { expect, test } from "vitest";
import { type Postgres, startPostgres } from "../support/database/postgres.ts";
import { hold, text, toolUse } from "../support/model/model-script.ts";
import { until, untilIdle } from "../support/program/bot.ts";
import { countOnTheWire, type WireCounter } from "../support/program/wire-counter.ts";
import { useShared } from "../support/run/use-shared.ts";
import { answers, putFile, type SceneThread, slackScene } from "../support/talk/scene.ts";

/** What recalling costs, which has a bound of its own. */
const RECALL = /"Memory(?:Pause|Use)?"/;

/** What goes on beside answers: locks, timers of jobs, the metrics that tell when the program is idle. */
const ELSEWHERE = /advisory|^SELECT 1|"(?:Job|JobOccurrence|RunFeedback)"|"Run"\."status" = \$1 ORDER BY/;

/** Every ten seconds it is looked for what jobs' runs have left at work, for which the run's event is read. */
const LEFT_AT_WORK = /"InboxEvent"\."seq" = \$1 AND 1=1/;

/** What a live message costs beside the answer: its post, its last state, and that it stands. */
const LIVE = { statements: 14, commits: 4 };

let postgres: Postgres;
/** Beside the wire that is counted. */
let database: Client;
let wire: WireCounter;
let scene: Awaited<ReturnType<typeof slackScene>>;

useShared(
  async () => {
    postgres = await startPostgres();
    const url = await postgres.createDatabase();
    database = new Client({ connectionString: url });
    await database.connect();
    wire = await countOnTheWire(url);
    scene = await slackScene({ env: { DATABASE_URL: wire.url } });
    await scene.bot.start();
    putFile(scene, "notes.txt", "remember the milk\n");
    // What the program does ahead of its first message is taken back in the end.
    const sent: string[] = [];
    const isWarm = () => sent.push(...wire.take()) > 0 && sent.includes("ROLLBACK");
    await until(isWarm, { what: () => "the program to have warmed up" });
    // Workspace, channel and people are known from here on.
    await counted(0);
  },
  async () => {
    await scene[Symbol.asyncDispose]();
    await wire[Symbol.asyncDispose]();
    await database.end();
    await postgres.stop();
  },
);

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
  const areShown = async () => (await database.query(open)).rowCount === 0;
  await until(areShown, { what: () => "all messages to stand as they shall" });
  return wire.take().filter((statement) => !ELSEWHERE.test(statement));
}

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
