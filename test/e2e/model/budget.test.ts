import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { z } from "zod";
import { rateLimited, stall, stop, text, toolUse, usage } from "../../support/model/model-script.ts";
import type { RecordedRequest } from "../../support/model/model-server.ts";
import { slackOffice, type Talk } from "../../support/talk/slack-talk.ts";

/** Sonnet's prices: $2 per million tokens of input, $10 of output. */
const OUTPUT_USD = 10 / 1_000_000;
const bodySchema = z.object({ max_tokens: z.number() });

function maxTokensOf(request: RecordedRequest | undefined): number {
  return bodySchema.parse(request?.body).max_tokens;
}

/** A turn that lists the sandbox and writes so many tokens, or as many as it may. */
function look(request: RecordedRequest, tokens: number) {
  const output = Math.min(tokens, maxTokensOf(request));
  const pattern = `*${request.index}`;
  return { output, reply: [toolUse("glob", { pattern }), usage({ input: 0, output })] };
}

function stopsOf(talks: readonly Talk[]): string[] {
  return talks.flatMap((talk) => talk.answers()).filter((answer) => answer.includes("✗ Stopped at"));
}

test("a run stops before the call that could pass its limit, and says both figures", async () => {
  await using office = await slackOffice({ settings: { maxBudgetUsd: 0.5 } });
  let spentUsd = 0;
  office.model.script((request) => {
    const { output, reply } = look(request, 20_000);
    spentUsd += output * OUTPUT_USD;
    return reply;
  });
  await office.bot.start();
  const talk = office.talk({ text: "go on for ever", channel: office.channel() });

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

test("from 80 % of a limit on, the live message says so", async () => {
  await using office = await slackOffice({ settings: { budgets: { sessionUsd: 1 } } });
  const replies = [
    [text("Once."), usage({ input: 0, output: 85_000 })],
    toolUse("glob", { pattern: "*" }),
    text("Twice."),
  ];
  office.model.script((_request, index) => replies[index] ?? text("too much"));
  await office.bot.start();
  const talk = office.talk({ text: "once", channel: office.channel() });
  await talk.answered(1);
  expect(talk.live().filter((message) => message.text.includes("is spent"))).toEqual([]);
  talk.mention("twice");
  await talk.shows(/⚠ \$0\.85 of \$1\.00 for this session is spent\./);
  expect(await talk.answered(2)).toBe("Twice.");
});

test("an answer that a limit cut short is shown as far as it came", async () => {
  await using office = await slackOffice({ settings: { maxBudgetUsd: 0.1 } });
  office.model.script(() => [text("The first half, "), usage({ input: 0, output: 9_700 }), stop("max_tokens")]);
  await office.bot.start();
  const talk = office.talk({ text: "tell me all", channel: office.channel() });
  expect(await talk.answered(1)).toMatch(/^The first half,\s+✗ Stopped at \$0\.097 of \$0\.10 for this run;/);
});

test("threads that go on at once never pass the day's limit together, also across a crash", async () => {
  const dayUsd = 0.4;
  await using office = await slackOffice({ settings: { budgets: { dayUsd } } });
  let spentUsd = 0;
  office.model.script((request) => {
    const { output, reply } = look(request, 6_000);
    spentUsd += output * OUTPUT_USD;
    return reply;
  });
  await office.bot.start();
  const talks = ["one", "two"].map((words) => office.talk({ text: words, channel: office.channel() }));
  await office.model.request(1);
  await office.bot.kill("SIGKILL");
  await office.bot.start();

  const answers = await Promise.all(talks.map((talk) => talk.answered(1)));
  for (const answer of answers) {
    // A run that is over before its live message tells in its ending what was to be known before.
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

/** Costs $0.02 of input, and about $0.007 of output until it falls silent. */
const HALF_AN_ANSWER = [text("word ".repeat(500)), usage({ input: 10_000 }), stall()];

test("an answer that is stopped half-way is paid: stopping again and again passes no limit", async () => {
  await using office = await slackOffice({ settings: { budgets: { sessionUsd: 0.1 } } });
  office.model.script(() => HALF_AN_ANSWER);
  await office.bot.start();
  const talk = office.talk({ text: "begin", channel: office.channel() });
  const stopped = () => talk.live().filter(({ text: shown }) => shown.startsWith("⏹ Stopped by @ana"));
  let stops = 0;
  for (; stops < 10; stops += 1) {
    await office.until("words or an end", () => talk.live().some(isWriting) || talk.answers().length > 0);
    if (talk.answers().length > 0) break;
    talk.mention("/stop");
    await office.until("the stop", () => stopped().length > stops);
    talk.mention("again");
  }
  expect(stops).toBeGreaterThanOrEqual(2);
  const spent = /^✗ Stopped at \$(0\.\d+) of \$0\.10 for this session;/.exec(await talk.answered(1))?.[1];
  expect(Number(spent)).toBeGreaterThanOrEqual(stops * 0.02);
  expect(Number(spent)).toBeLessThan(stops * 0.035);
});

function isWriting({ text: shown }: { readonly text: string }): boolean {
  return shown.includes("word word");
}

test("a call that a kill cuts off is charged its request as the run goes on", async () => {
  await using office = await slackOffice({ settings: { budgets: { sessionUsd: 10 } } });
  const unpaid = usage({ input: 0, output: 1 });
  office.model.script((_request, index) => (index < 2 ? HALF_AN_ANSWER : [text("Done."), unpaid]));
  await office.bot.start();
  const talk = office.talk({ text: "begin", channel: office.channel() });
  for (const call of [0, 1]) {
    await office.model.request(call);
    await office.bot.kill("SIGKILL");
    await office.bot.start();
  }
  expect(await talk.answered(1)).toBe("Done.");
  talk.mention("/usage");
  const told = () => office.ephemeralsTo("U0ANA").join("\n");
  await office.until("the usage", () => told().includes("this session"));
  expect(told()).toMatch(/3 model calls[^]*this session: \$0\.0[1-9]/);
});

test("a call that a kill cuts off is charged its request, too, when its run has been stopped by then", async () => {
  await using office = await slackOffice({ settings: { budgets: { sessionUsd: 10 } } });
  office.model.script(() => HALF_AN_ANSWER);
  await office.bot.start();
  const talk = office.talk({ text: "begin", channel: office.channel() });
  await office.model.request(0);
  await office.bot.kill("SIGKILL");
  using database = sqliteAt(path.join(office.bot.home, "data/deckhand.db"));
  database.exec(`UPDATE "Run" SET "cancelledBy" = '@ana'`);
  await office.bot.start();
  const isStop = ({ text: shown }: { readonly text: string }) => shown.startsWith("⏹ Stopped by @ana");
  await office.until("the stop", () => talk.seen().some(isStop));
  const charged = database.prepare('SELECT 1 FROM "Usage" WHERE "stopReason" = \'cut_off\' AND "costUsd" > 0');
  await office.until("the charge", () => charged.all().length === 1);
});

function sqliteAt(file: string): BetterSqlite3.Database & Disposable {
  const database = new BetterSqlite3(file);
  return Object.assign(database, { [Symbol.dispose]: () => void database.close() });
}

test("where the price is unknown a limit in dollars lets no run begin, and the words say what to set; a limit in tokens does", async () => {
  await using office = await slackOffice({
    settings: {
      maxBudgetUsd: 0.5,
      channels: { "slack:C1001": { model: "anthropic/claude-nobody-knows" } },
    },
  });
  await office.bot.start();
  const talk = office.talk({ text: "go", channel: office.channel() });
  expect(await talk.answered(1)).toMatch(
    /^✗ The price of `anthropic\/claude-nobody-knows` is unknown, so the limit in dollars for this run cannot be kept\. .*`providers\.anthropic\.models`.*`budgets\.runTokens`/,
  );
  expect(office.model.requests).toEqual([]);
});

test("a limit in tokens beside the one in dollars holds for a model without a price", async () => {
  await using office = await slackOffice({
    settings: {
      budgets: { sessionTokens: 20_000, sessionUsd: 5 },
      channels: { "slack:C1001": { model: "anthropic/claude-nobody-knows" } },
    },
  });
  office.model.script((request) => look(request, 6_000).reply);
  await office.bot.start();
  const talk = office.talk({ text: "go", channel: office.channel() });
  expect(await talk.answered(1)).toMatch(
    /^✗ Stopped at 1\d,\d{3} of 20,000 tokens for this session; .* raise `budgets\.sessionTokens`\.$/,
  );
});

test("fifty threads on a key that takes three calls at once are all answered; nobody sees a failure", async () => {
  await using office = await slackOffice();
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
    return text(`Answer to ${/thread \d+/.exec(request.lastUserText)?.[0]}.`, { chunkChars: 4, everyMs: 20 });
  });
  await office.bot.start();
  const channels = Array.from({ length: 10 }, () => office.channel());
  const talks = Array.from({ length: 50 }, (_, index) => {
    const words = `thread ${index}`;
    return { words, talk: office.talk({ text: words, channel: channels[index % 10] ?? "" }) };
  });
  await office.until("all answers", () => talks.every(({ talk }) => talk.answers().length > 0));
  for (const { words, talk } of talks) expect(talk.answers()).toEqual([`Answer to ${words}.`]);
  expect(
    talks.flatMap(({ talk }) => talk.seen()).some((message) => /⏳ Waiting for Anthropic/.test(message.text)),
  ).toBe(true);
  expect(refused).toBeLessThan(200);
});
