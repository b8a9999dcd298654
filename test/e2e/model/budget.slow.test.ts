import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { z } from "zod";
import { rateLimited, stall, stop, text, toolUse, usage } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { playEach } from "../../support/talk/agent-lines.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { slackOffice, type Talk } from "../../support/talk/slack-talk.ts";

/** Sonnet's prices: $2 per million tokens of input, $10 of output. */
const INPUT_USD = 2 / 1_000_000;
const OUTPUT_USD = 10 / 1_000_000;
const bodySchema = z.object({ max_tokens: z.number() });

function maxTokensOf(request: RecordedRequest | undefined): number {
  return bodySchema.parse(request?.body).max_tokens;
}

/** A turn that lists the sandbox and writes this many tokens, or as many as `max_tokens` allows. */
function look(request: RecordedRequest, tokens: number) {
  const output = Math.min(tokens, maxTokensOf(request));
  const pattern = `*${request.index}`;
  return { output, reply: [toolUse("glob", { pattern }), usage({ input: 0, output })] };
}

function stopsOf(talks: readonly Talk[]): string[] {
  return talks.flatMap((talk) => talk.answers()).filter((answer) => answer.includes("✗ Stopped at"));
}

/** Two channels with low budgets for a run, and one whose model has no known price. */
const [LOW, LOWER, UNPRICED] = ["C9001", "C9002", "C9003"];
const NOBODY_KNOWS = "anthropic/claude-nobody-knows";
const shared = useSlackOffice({
  settings: {
    budgets: { sessionUsd: 0.6 },
    channels: {
      [`slack:${LOW}`]: { maxBudgetUsd: 0.5 },
      [`slack:${LOWER}`]: { maxBudgetUsd: 0.1 },
      [`slack:${UNPRICED}`]: { maxBudgetUsd: 0.5, model: NOBODY_KNOWS },
    },
  },
});

test("a run stops before a call that could exceed its budget, and states both figures", async () => {
  const office = shared();
  let spentUsd = 0;
  office.model.script((request) => {
    const { output, reply } = look(request, 20_000);
    spentUsd += output * OUTPUT_USD;
    return reply;
  });
  const talk = office.talk({ text: "go on for ever", channel: LOW });

  const answer = await talk.answered(1);
  expect(spentUsd).toBeGreaterThan(0.45);
  expect(spentUsd).toBeLessThan(0.5);
  expect(answer).toBe(
    `✗ Stopped at $${spentUsd.toFixed(2)} of $0.50 for this run; the next call could pass the limit. An operator can raise \`maxBudgetUsd\`.`,
  );
  await talk.shows(/✗ 3 turns · 3 tools/);
  const [first, second, third] = office.model.requests.map(maxTokensOf);
  expect([first, (second ?? 0) < 30_000, (third ?? 0) < 10_000]).toEqual([32_000, true, true]);
  expect(office.model.requests).toHaveLength(3);
  expect(office.model.violations).toEqual([]);
});

test("from 80 % of a budget on, the live message says so", async () => {
  const office = shared();
  const replies = [
    [text("Once."), usage({ input: 0, output: 51_000 })],
    toolUse("glob", { pattern: "*" }),
    text("Twice."),
  ];
  office.model.script((_request, index) => replies[index] ?? text("too much"));
  const talk = office.talk({ text: "once", channel: office.channel() });
  await talk.answered(1);
  expect(talk.live().filter((message) => message.text.includes("is spent"))).toEqual([]);
  talk.mention("twice");
  await talk.shows(/⚠ \$0\.51 of \$0\.60 for this session is spent\./);
  expect(await talk.answered(2)).toBe("Twice.");
});

test("an answer cut by a budget is shown as far as it arrived", async () => {
  const office = shared();
  office.model.script(() => [text("The first half, "), usage({ input: 0, output: 9_700 }), stop("max_tokens")]);
  const talk = office.talk({ text: "tell me all", channel: LOWER });
  expect(await talk.answered(1)).toMatch(/^The first half,\s+✗ Stopped at \$0\.097 of \$0\.10 for this run;/);
});

test("concurrent threads together never exceed the daily budget, also across a crash; a token budget applies to models without a price", async () => {
  const dayUsd = 0.4;
  let tokensATurn = 6_000;
  await using office = await slackOffice({
    settings: {
      budgets: { dayUsd, dayTokens: 1_000_000, sessionUsd: 5, sessionTokens: 60_000 },
      channels: { [`slack:${UNPRICED}`]: { model: NOBODY_KNOWS } },
    },
  });
  let spentUsd = 0;
  office.model.script((request) => {
    const { output, reply } = look(request, tokensATurn);
    spentUsd += output * OUTPUT_USD;
    return reply;
  });
  await office.bot.start();
  tokensATurn = 20_000;
  const unpriced = office.talk({ text: "go", channel: UNPRICED });
  expect(await unpriced.answered(1)).toMatch(
    /^✗ Stopped at 5\d,\d{3} of 60,000 tokens for this session; .* raise `budgets\.sessionTokens`\.$/,
  );
  spentUsd = 0;
  tokensATurn = 6_000;
  office.model.forget();
  const talks = ["one", "two"].map((words) => office.talk({ text: words, channel: office.channel() }));
  await office.model.request(1);
  await office.bot.kill("SIGKILL");
  await office.bot.start();

  const answers = await Promise.all(talks.map((talk) => talk.answered(1)));
  for (const answer of answers) {
    // A run that ends before its live message is posted puts the warning into its last message.
    expect(answer).toMatch(
      /^(?:⚠ .*\s+)?✗ Stopped at \$0\.\d+ of \$0\.40 for everything today \(UTC\); the next call could pass/,
    );
    expect(answer).toContain("An operator can raise `budgets.dayUsd`.");
  }
  expect(spentUsd).toBeLessThanOrEqual(dayUsd + 2 * 6_000 * OUTPUT_USD);
  expect(spentUsd).toBeGreaterThan(dayUsd * 0.8);

  const late = office.talk({ text: "three", channel: office.channel() });
  expect(await late.answered(1)).toContain("for everything today (UTC)");
  expect(stopsOf([...talks, late])).toHaveLength(3);
  expect(office.model.violations).toEqual([]);
});

/** An answer that costs this much for input and about $0.007 for output before it stalls. */
function halfAnAnswer(inputUsd: number) {
  return [text("word ".repeat(500)), usage({ input: inputUsd / INPUT_USD }), stall()];
}

test("an answer that is stopped midway is charged, so that repeated stops evade no budget", async () => {
  const office = shared(() => halfAnAnswer(0.16));
  const talk = office.talk({ text: "begin", channel: office.channel() });
  // A warning about the spent part of the limit may precede this line.
  const stopped = () => talk.live().filter(({ text: shown }) => shown.includes("⏹ Stopped by @ana"));
  let stops = 0;
  for (; stops < 10; stops += 1) {
    await office.until("words or an end", () => talk.live().some(isWriting) || talk.answers().length > 0);
    if (talk.answers().length > 0) break;
    talk.mention("/stop");
    await office.until("the stop", () => stopped().length > stops);
    talk.mention("again");
  }
  expect(stops).toBeGreaterThanOrEqual(2);
  const spent = /^✗ Stopped at \$(0\.\d+) of \$0\.60 for this session;/.exec(await talk.answered(1))?.[1];
  expect(Number(spent)).toBeGreaterThanOrEqual(stops * 0.16);
  expect(Number(spent)).toBeLessThan(stops * 0.22);
});

function isWriting({ text: shown }: { readonly text: string }): boolean {
  return shown.includes("word word") && !shown.includes("⏹ Stopped");
}

test("a call interrupted by a kill is charged for its request, whether the run continues or was stopped", async () => {
  const office = shared();
  const unpaid = usage({ input: 0, output: 1 });
  const requestsOf = playEach(office.model, {
    "goes on": (_request, index) => (index < 2 ? halfAnAnswer(0.02) : [text("Done."), unpaid]),
    "is stopped": () => halfAnAnswer(0.02),
  });
  const talk = office.talk({ text: "this goes on", channel: office.channel() });
  const stopped = office.talk({ text: "this is stopped", channel: office.channel() });
  const isAsked = (count: number) => () =>
    requestsOf("goes on").length === count && requestsOf("is stopped").length === 1;
  await office.until("the first calls", isAsked(1));
  await office.bot.kill("SIGKILL");
  using database = sqliteAt(path.join(office.bot.home, "data/deckhand.db"));
  const ofChannel = `"sessionId" IN (SELECT "id" FROM "Session" WHERE "channelId" LIKE '%${stopped.channel}')`;
  database.exec(`UPDATE "Run" SET "cancelledBy" = '@ana' WHERE ${ofChannel}`);
  await office.bot.start();
  const isStop = ({ text: shown }: { readonly text: string }) => shown.startsWith("⏹ Stopped by @ana");
  await office.until("the stop", () => stopped.seen().some(isStop));
  const charged = database.prepare(
    `SELECT 1 FROM "Usage" WHERE "stopReason" = 'cut_off' AND "costUsd" > 0 AND ${ofChannel}`,
  );
  await office.until("the charge", () => charged.all().length === 1);

  await office.until("the second call", isAsked(2));
  await office.bot.kill("SIGKILL");
  await office.bot.start();
  expect(await talk.answered(1)).toBe("Done.");
  talk.mention("/usage");
  const told = () => office.ephemeralsTo("U0ANA").join("\n");
  await office.until("the usage", () => told().includes("this session"));
  expect(told()).toMatch(/this session: \$0\.0[1-9]/);
  const callsOf = (channel: string) =>
    database.prepare(`SELECT "stopReason" FROM "Usage" WHERE "channelId" LIKE '%' || ?`).all(channel);
  expect(callsOf(talk.channel)).toEqual(["cut_off", "cut_off", "end_turn"].map((stopReason) => ({ stopReason })));
});

function sqliteAt(file: string): BetterSqlite3.Database & Disposable {
  const database = new BetterSqlite3(file);
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
}

test("a dollar budget refuses runs of a model with unknown price, and the message names the setting", async () => {
  const office = shared();
  const talk = office.talk({ text: "what nobody knows the price of", channel: UNPRICED });
  expect(await talk.answered(1)).toMatch(
    /^✗ The price of `anthropic\/claude-nobody-knows` is unknown, so the dollar limit for this run can't be enforced\. .*`providers\.anthropic\.models`.*`budgets\.runTokens`/,
  );
  // A run that another test left unfinished may send requests for its own model in the meantime.
  expect(office.requestsAbout("nobody knows the price of")).toEqual([]);
  expect(office.model.requests.filter(({ body }) => JSON.stringify(body).includes("claude-nobody-knows"))).toEqual([]);
});

test("thirty threads on a key that allows three concurrent calls are all answered without a visible failure", async () => {
  const office = shared();
  let going = 0;
  let refused = 0;
  office.model.script((request) => {
    if (going >= 3) {
      refused += 1;
      return rateLimited(1);
    }
    going += 1;
    const over = () => {
      going -= 1;
    };
    request.ended.then(over, over);
    return text(`Answer to ${/thread \d+/.exec(request.lastUserText)?.[0]}.`, { chunkChars: 4, everyMs: 60 });
  });
  const channels = Array.from({ length: 6 }, () => office.channel());
  const talks = Array.from({ length: 30 }, (_, index) => {
    const words = `thread ${index}`;
    return { words, talk: office.talk({ text: words, channel: channels[index % 6] ?? "" }) };
  });
  await office.until("all answers", () => talks.every(({ talk }) => talk.answers().length > 0));
  for (const { words, talk } of talks) expect(talk.answers()).toEqual([`Answer to ${words}.`]);
  expect(
    talks.flatMap(({ talk }) => talk.seen()).some((message) => /⏳ Waiting for Anthropic/.test(message.text)),
  ).toBe(true);
  expect(refused).toBeLessThan(120);
});
