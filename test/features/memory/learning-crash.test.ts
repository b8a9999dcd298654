import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import { hold, text } from "../../support/model/model-script.ts";
import { inDatabase, isAllLearned, isLesson, notes, typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

const WORDS = "from now on the heron is deployed on Thursdays";
const NOTE = { text: "The heron is deployed on Thursdays", kind: "decision", says: "heron" } as const;

const lessons = (at: SlackOffice) => at.model.requests.filter(isLesson);

/** How many rows a statement finds, in the database of the program. */
type CountRows = (at: SlackOffice, sql: string) => Promise<number>;

interface Kept {
  readonly at: SlackOffice;
  readonly countRows: CountRows;
}

const LEARNED = `SELECT 1 FROM "Memory" WHERE "text" = '${NOTE.text}'`;
const WAITING = `SELECT 1 FROM "MemoryLesson" WHERE "dueAt" IS NOT NULL`;
const spentIn = (channel: string) =>
  `SELECT 1 FROM "Usage" WHERE "runId" LIKE 'learn:%' AND "channelId" = 'slack:${channel}'`;

/** After another start: learned once, charged once for what was used, and nothing is left to learn. */
async function expectLearnedOnce({ at, countRows }: Kept, channel: string, calls: number): Promise<void> {
  await at.bot.start();
  const isLearned = async () => (await countRows(at, LEARNED)) > 0 && (await countRows(at, WAITING)) === 0;
  await at.until("it to be learned", isLearned);
  // Another thread's lesson comes after all that was due before it.
  await at.talk({ text: "the grebe is the service that writes the invoices", channel: at.channel() }).answered(1);
  await at.until("the other lesson", () => lessons(at).some(({ lastUserText }) => lastUserText.includes("grebe")));
  expect(lessons(at).filter(({ lastUserText }) => lastUserText.includes(WORDS))).toHaveLength(calls);
  expect(await countRows(at, LEARNED)).toBe(1);
  expect(await countRows(at, spentIn(channel))).toBe(1);
}

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

interface Opened {
  readonly env: Readonly<Record<string, string>>;
  readonly countRows: CountRows;
}

const DATABASES: Readonly<Record<"sqlite" | "postgresql", () => Promise<Opened>>> = {
  sqlite: () =>
    Promise.resolve({
      env: {},
      countRows: (at, sql) => Promise.resolve(inDatabase(at, (database) => database.prepare(sql).all().length)),
    }),
  postgresql: async () => {
    const url = await postgres.createDatabase();
    const countRows: CountRows = async (_at, sql) => {
      const client = new Client({ connectionString: url });
      await client.connect();
      try {
        return (await client.query(sql)).rows.length;
      } finally {
        await client.end();
      }
    };
    return { env: { DATABASE_URL: url }, countRows };
  },
};

describe.each(["sqlite", "postgresql"] as const)("on %s", (database) => {
  const open = async (learnAfterMinutes: number) => {
    const { env, countRows } = await DATABASES[database]();
    const at = await slackOffice({ settings: { memory: { learnAfterMinutes } }, env });
    return { at, countRows, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
  };

  test("killed before the lesson begins, it is learned after the next start, once", async () => {
    await using kept = await open(0.05);
    const { at } = kept;
    at.model.script((request) => (isLesson(request) ? notes(request, [NOTE]) : text("Noted.")));
    await at.bot.start();
    const channel = at.channel();
    await at.talk({ text: WORDS, channel }).answered(1);
    await at.until("the run to end", () => at.bot.output().includes('"event":"run_ended"'));
    await at.bot.kill("SIGKILL");
    expect(lessons(at)).toEqual([]);
    await expectLearnedOnce(kept, channel, 1);
  });

  test("killed while the model is asked, it is asked again and learned once", async () => {
    await using kept = await open(0);
    const { at, countRows } = kept;
    const gate = hold();
    at.model.script((request) => {
      if (!isLesson(request)) return text("Noted.");
      return lessons(at).length === 1 ? [gate.part, text("lost")] : notes(request, [NOTE]);
    });
    await at.bot.start();
    const channel = at.channel();
    await at.talk({ text: WORDS, channel }).answered(1);
    await gate.reached;
    await at.bot.kill("SIGKILL");
    expect(await countRows(at, LEARNED)).toBe(0);
    await expectLearnedOnce(kept, channel, 2);
  });

  test("killed after it has learned, it does not learn again", async () => {
    await using kept = await open(0);
    const { at, countRows } = kept;
    at.model.script((request) => (isLesson(request) ? notes(request, [NOTE]) : text("Noted.")));
    await at.bot.start();
    const channel = at.channel();
    await at.talk({ text: WORDS, channel }).answered(1);
    await at.until("the memory", async () => (await countRows(at, LEARNED)) > 0);
    await at.bot.kill("SIGKILL");
    await expectLearnedOnce(kept, channel, 1);
  });
});

test("what a limit leaves no room for is not learned, and answers go on", async () => {
  await using at = await slackOffice({
    settings: { memory: { learnAfterMinutes: 0 }, budgets: { dayTokens: 40_000 } },
  });
  at.model.script((request) =>
    isLesson(request) ? notes(request, []) : [text("Noted."), { type: "usage", usage: { input: 39_900, output: 100 } }],
  );
  await at.bot.start();
  await at.talk({ text: WORDS, channel: at.channel() }).answered(1);
  await at.until("the lesson to be put off", () => at.bot.output().includes('"event":"not_learned"'));
  expect(lessons(at)).toEqual([]);
});

test("where learning is off, no thread costs a further call but one that somebody asks for", async () => {
  await using at = await slackOffice({ settings: { memory: { learn: false, learnAfterMinutes: 0 } } });
  at.model.script(() => text("Noted."));
  await at.bot.start();
  const channel = at.channel();
  await at.talk({ text: WORDS, channel }).answered(1);
  const other = at.talk({ text: "the grebe is the service that writes the invoices", channel });
  await other.answered(1);
  // What was due before it would be learned first.
  other.mention("/memory learn from this thread");
  await at.until("the lesson that was asked for", () => lessons(at).length > 0 && isAllLearned(at));
  expect(lessons(at).filter(({ lastUserText }) => lastUserText.includes(WORDS))).toEqual([]);
});

test("who wants to be forgotten is not learned of from what waits to be learned", async () => {
  await using at = await slackOffice({ settings: { memory: { learnAfterMinutes: 0.05 } } });
  at.model.script((request) => (isLesson(request) ? notes(request, []) : text("Noted.")));
  await at.bot.start();
  const channel = at.channel();
  await at.talk({ text: WORDS, channel }).answered(1);
  await at.until("the run to end", () => at.bot.output().includes('"event":"run_ended"'));
  expect(isAllLearned(at)).toBe(false);
  await typed(at, "forget me", { channel });
  expect(isAllLearned(at)).toBe(true);
  await at
    .talk({ text: "the grebe is the service that writes the invoices", channel: at.channel(), user: "U0BOB" })
    .answered(1);
  await at.until("the other lesson", () => lessons(at).length > 0);
  expect(lessons(at).filter(({ lastUserText }) => lastUserText.includes(WORDS))).toEqual([]);
});
