import { expect, test } from "vitest";
import { ProviderError } from "../../../src/core/protocol/errors.ts";
import { CancelSignal, SuspendSignal } from "../../../src/core/protocol/signals.ts";
import { NO_USAGE } from "../../../src/core/protocol/usage.ts";
import { CALL_COST_USD, drive, type Reply, ScriptedModel, scenario, tool } from "./query-fixture.ts";

const LONG = "word ".repeat(1_000);
const failed = (code: "stalled" | "incomplete_stream" | "overloaded", text?: string): Reply => ({
  ...(text === undefined ? {} : { text }),
  error: new ProviderError(code, code),
});

test.each<{ what: string; reply: Reply; least: number; most: number }>([
  { what: "falls silent in mid-answer", reply: failed("stalled", LONG), least: 1_000, most: 2_500 },
  { what: "breaks off", reply: failed("incomplete_stream", LONG), least: 1_000, most: 2_500 },
  { what: "ends without its marker", reply: { text: LONG, noEnd: true }, least: 1_000, most: 2_500 },
  { what: "is refused", reply: failed("overloaded"), least: 0, most: 0 },
])(
  "a call that $what is charged for the received part, and the run for both attempts",
  async ({ reply, least, most }) => {
    const { query, clock, journal } = scenario({ model: ScriptedModel.inOrder(reply, { text: "ok" }) });
    const run = drive(query);
    await clock.runAll();
    const { outcome } = await run;

    const { usage, costUsd, turns } = await journal.load();
    const cut = usage.outputTokens - 10;
    expect(cut).toBeGreaterThanOrEqual(least);
    expect(cut).toBeLessThanOrEqual(most);
    expect(costUsd).toBeCloseTo(CALL_COST_USD + ((usage.inputTokens - 100) * 10 + cut * 50) / 1_000_000, 10);
    expect({ turns, outcome }).toMatchObject({ turns: 1, outcome: { type: "end_turn" } });
  },
);

test.each([
  { what: "a person's stop", reason: new CancelSignal({ by: "person", name: "@ana" }) },
  { what: "a shutdown", reason: new SuspendSignal("shutdown") },
])("a call that $what ends is charged for the received part", async ({ reason }) => {
  const stopping = new AbortController();
  const { query, journal } = scenario({ model: ScriptedModel.inOrder({ text: LONG, hangs: true }) });
  let words = 0;
  const run = drive(query, stopping.signal, (event) => {
    if (event.type !== "token") return;
    words += 1;
    if (words === 1_000) stopping.abort(reason);
  });
  await run.catch((error: unknown) => expect(error).toBe(reason));

  const { usage, turns } = await journal.load();
  expect(turns).toBe(0);
  expect(usage.outputTokens).toBeGreaterThan(1_000);
  expect(usage.inputTokens).toBeGreaterThan(0);
});

test("a failed call is logged if the journal fails as well", async () => {
  const { query, journal, logLines } = scenario({ model: ScriptedModel.inOrder(failed("incomplete_stream", LONG)) });
  const away = new Error("the database is away");
  journal.callFailed = () => Promise.reject(away);
  await expect(drive(query)).rejects.toBe(away);
  expect(logLines).toMatchObject([{ event: "model_call_unsettled", fields: { code: "incomplete_stream" } }]);
});

test("without usage data from the provider the context is estimated, and the token meter stays uncalibrated", async () => {
  const reads = (id: string): Reply => ({ calls: [{ id, name: "look", input: { path: LONG } }], usage: NO_USAGE });
  const replies = [reads("a"), reads("b"), reads("c"), { text: LONG, usage: NO_USAGE }];
  const { query, journal } = scenario({ model: ScriptedModel.inOrder(...replies), tools: [tool("look")] });
  const before = query.meter.corrected("scripted/one", 1_000);
  expect((await drive(query)).outcome).toMatchObject({ type: "end_turn" });

  const { lastMeasured, messages } = await journal.load();
  expect(lastMeasured?.messages).toBe(messages.length);
  expect(lastMeasured?.tokens).toBeGreaterThan(9_000);
  expect(query.meter.corrected("scripted/one", 1_000)).toBe(before);
});

test("with an unknown price the cost of a run with an interrupted call is unknown", async () => {
  const model = ScriptedModel.inOrder(failed("stalled", LONG), { text: "ok" });
  const { query, clock, journal } = scenario({ model, price: null });
  const run = drive(query);
  await clock.runAll();
  await run;
  expect(await journal.load()).toMatchObject({ costUsd: null });
});
