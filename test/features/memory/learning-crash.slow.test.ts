import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import { hold, text } from "../../support/model/model-script.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { inDatabase, isLesson, notes, typed } from "../../support/talk/memory-talk.ts";
import { type SlackOffice, slackOffice } from "../../support/talk/slack-talk.ts";

/** Each is said in a thread of its own, and is what is to be learned of it. */
const TOLD = {
  learned: "from now on the heron is deployed on Thursdays",
  asked: "we have decided: the ibis is built with Buildkite in Oslo",
  waiting: "for the record: backups of the stork go to the cellar in Bergen",
} as const;
/** Another thread's lesson comes after all that was due before it. */
const OTHER = "the grebe is the service that writes the invoices";

const lessons = (at: SlackOffice) => at.model.requests.filter(isLesson);
const lessonsOn = (at: SlackOffice, words: string) =>
  lessons(at).filter(({ lastUserText }) => lastUserText.includes(words));
const note = (words: string) => ({ text: words, kind: "decision", says: words }) as const;

/** How many rows a statement finds, in the database of the program. */
type CountRows = (at: SlackOffice, sql: string) => Promise<number>;

const LEARNED = (words: string) => `SELECT 1 FROM "Memory" WHERE "text" = '${words}'`;
const WAITING = `SELECT 1 FROM "MemoryLesson" WHERE "dueAt" IS NOT NULL`;
const spentIn = (channel: string) =>
  `SELECT 1 FROM "Usage" WHERE "runId" LIKE 'learn:%' AND "channelId" = 'slack:${channel}'`;

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
  let at: SlackOffice;
  let countRows: CountRows;

  useShared(
    async () => {
      const opened = await DATABASES[database]();
      ({ countRows } = opened);
      at = await slackOffice({ settings: { memory: { learnAfterMinutes: 0.05 } }, env: opened.env });
      await at.bot.start();
    },
    () => at[Symbol.asyncDispose](),
  );

  test("after a kill before a lesson, during its model call, or after it, each thread is learned from once", async () => {
    const gate = hold();
    at.model.script((request) => {
      if (!isLesson(request)) return text("Noted.");
      const isCut = request.lastUserText.includes(TOLD.asked) && lessonsOn(at, TOLD.asked).length === 1;
      return isCut ? [gate.part, text("lost")] : notes(request, Object.values(TOLD).map(note));
    });
    const channels = { learned: at.channel(), asked: at.channel(), waiting: at.channel() };
    await at.talk({ text: TOLD.learned, channel: channels.learned }).answered(1);
    await at.until("the memory", async () => (await countRows(at, LEARNED(TOLD.learned))) > 0);
    await at.talk({ text: TOLD.asked, channel: channels.asked }).answered(1);
    await gate.reached;
    const ended = at.bot.output().split('"event":"run_ended"').length;
    await at.talk({ text: TOLD.waiting, channel: channels.waiting }).answered(1);
    await at.until("the run to end", () => at.bot.output().split('"event":"run_ended"').length > ended);
    await at.bot.kill("SIGKILL");
    expect(lessonsOn(at, TOLD.waiting)).toEqual([]);
    expect(await countRows(at, LEARNED(TOLD.asked))).toBe(0);

    await at.bot.start();
    const isLearned = async () =>
      (await countRows(at, LEARNED(TOLD.asked))) > 0 &&
      (await countRows(at, LEARNED(TOLD.waiting))) > 0 &&
      (await countRows(at, WAITING)) === 0;
    await at.until("all to be learned", isLearned);
    await at.talk({ text: OTHER, channel: at.channel() }).answered(1);
    await at.until("the other lesson", () => lessonsOn(at, OTHER).length > 0);
    const calls = { learned: 1, asked: 2, waiting: 1 };
    for (const state of ["learned", "asked", "waiting"] as const) {
      expect(lessonsOn(at, TOLD[state]), state).toHaveLength(calls[state]);
      // Learned once, and charged once for what was used.
      expect(await countRows(at, LEARNED(TOLD[state])), state).toBe(1);
      expect(await countRows(at, spentIn(channels[state])), state).toBe(1);
    }
  });

  test("forgetting a person also drops the lessons that are pending from them", async () => {
    at.model.script((request) => (isLesson(request) ? notes(request, []) : text("Noted.")));
    const isNothingLeft = async () => (await countRows(at, WAITING)) === 0;
    await at.until("earlier lessons", isNothingLeft);
    const [channel, words] = [at.channel(), "from now on the bittern is deployed on Sundays"];
    const ended = at.bot.output().split('"event":"run_ended"').length;
    await at.talk({ text: words, channel }).answered(1);
    await at.until("the run to end", () => at.bot.output().split('"event":"run_ended"').length > ended);
    expect(await isNothingLeft()).toBe(false);
    await typed(at, "forget me", { channel });
    expect(await isNothingLeft()).toBe(true);
    const other = "the dipper is the service that reads the invoices";
    await at.talk({ text: other, channel: at.channel(), user: "U0BOB" }).answered(1);
    await at.until("the other lesson", () => lessonsOn(at, other).length > 0);
    expect(lessonsOn(at, words)).toEqual([]);
  });
});

test("a lesson that would exceed a budget is skipped, and answers continue", async () => {
  await using at = await slackOffice({
    settings: { memory: { learnAfterMinutes: 0 }, budgets: { dayTokens: 40_000 } },
  });
  at.model.script((request) =>
    isLesson(request) ? notes(request, []) : [text("Noted."), { type: "usage", usage: { input: 39_900, output: 100 } }],
  );
  await at.bot.start();
  await at.talk({ text: TOLD.learned, channel: at.channel() }).answered(1);
  await at.until("the lesson to be put off", () => at.bot.output().includes('"event":"not_learned"'));
  expect(lessons(at)).toEqual([]);
});
