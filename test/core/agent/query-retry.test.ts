import { expect, test } from "vitest";
import { type ErrorCode, ProviderError } from "../../../src/core/protocol/errors.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { drive, type Reply, ScriptedModel, scenario } from "./query-fixture.ts";

const detail = { providerName: "Anthropic", model: "claude-opus-5-5" };

function failing(code: ErrorCode, more: Omit<Reply, "error"> = {}, retryAfterMs?: number): Reply {
  const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { ...more, error: new ProviderError(code, code, { detail, ...asked }) };
}

/** Drives a run without real waits, and returns the texts that people saw. */
async function told(...replies: readonly Reply[]) {
  const model = ScriptedModel.inOrder(...replies);
  const { query, clock, journal, logLines } = scenario({ model });
  const run = drive(query);
  await clock.runAll();
  const { events, outcome } = await run;
  const statuses = events.flatMap((event) => (event.type === "status" ? [event.text] : []));
  return { events, outcome, statuses, model, journal, logLines };
}

test.each([
  { code: "stalled", status: "⚠ The model went silent; trying again (1 of 2)." },
  { code: "overloaded", status: "⚠ claude-opus-5-5 is overloaded; trying again (1 of 2)." },
  { code: "incomplete_stream", status: "⚠ The model stopped in the middle of its answer; trying again (1 of 2)." },
  { code: "network", status: "⚠ Anthropic can't be reached; trying again in 1 s." },
  { code: "provider_failed", status: "⚠ Anthropic is not responding; trying again in 1 s." },
  { code: "empty_response", status: "⚠ The model returned nothing; trying again (1 of 1)." },
] as const)("a call that failed with $code is retried visibly in the same turn", async ({ code, status }) => {
  const { events, outcome, statuses, journal } = await told(failing(code), { text: "ok" });

  expect(statuses).toEqual([status]);
  expect(events.filter((event) => event.type === "turn_start")).toEqual([{ type: "turn_start", turn: 1 }]);
  expect(events.some((event) => event.type === "text_discarded")).toBe(false);
  expect(outcome.type).toBe("end_turn");
  expect((await journal.load()).turns).toBe(1);
});

test("a noticeable wait is stated", async () => {
  const { statuses } = await told(failing("rate_limited", {}, 12_000), { text: "ok" });
  expect(statuses).toEqual(["⚠ Anthropic is limiting my requests right now; trying again in 13 s (1 of 4)."]);
});

test("partial text of a failed attempt is discarded before the next one", async () => {
  const { events, outcome } = await told(failing("stalled", { text: "Half an" }), { text: "Whole" });

  expect(events.map((event) => (event.type === "token" ? event.text : event.type))).toEqual([
    "turn_start",
    "Half ",
    "an",
    "text_discarded",
    "status",
    "Whole",
    "turn_end",
  ]);
  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ type: "text", text: "Whole" }] } });
});

test("a stream without its terminal event is a failed attempt", async () => {
  const { outcome, statuses } = await told({ text: "cut", noEnd: true }, { text: "ok" });
  expect(statuses).toHaveLength(1);
  expect(outcome.type).toBe("end_turn");
});

test("after the last attempt the run ends with the last error", async () => {
  const { outcome, statuses, model, journal } = await told(
    failing("stalled"),
    failing("stalled"),
    failing("stalled", { text: "x" }),
  );
  expect(outcome).toMatchObject({ type: "error", error: { code: "stalled", detail } });
  expect(statuses).toEqual([1, 2].map((n) => `⚠ The model went silent; trying again (${n} of 2).`));
  expect(model.requests).toHaveLength(3);
  expect(journal.writes).toEqual(["callFailed", "callFailed", "callFailed"]);
});

test("server errors do not end a run within a minute, and each wait is stated", async () => {
  const failure = new ProviderError("provider_failed", "500", { detail: { ...detail, status: "500" } });
  const { outcome, statuses } = await told(...Array.from({ length: 5 }, () => ({ error: failure })), { text: "ok" });
  expect(outcome.type).toBe("end_turn");
  expect(statuses).toHaveLength(5);
  expect(statuses[4]).toMatch(/^⚠ Anthropic is not responding \(500\); trying again in (?:[89]|1\d) s\.$/);
});

test("a provider that is unreachable for a minute ends the run", async () => {
  const { outcome, model, statuses } = await told(...Array.from({ length: 12 }, () => failing("network")));
  expect(outcome).toMatchObject({ type: "error", error: { code: "network" } });
  expect(statuses).toHaveLength(model.requests.length - 1);
  expect(model.requests.length).toBeGreaterThan(5);
});

test("a stop while waiting out an outage ends the run at once", async () => {
  const cancel = new AbortController();
  const { query, clock } = scenario({ model: ScriptedModel.inOrder(failing("provider_failed")) });
  const { outcome } = await drive(query, cancel.signal, (event) => {
    if (event.type === "status") cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  });
  expect(outcome).toEqual({ type: "cancelled", cause: { by: "person", name: "@ana" } });
  expect(clock.pending).toBe(0);
});

test.each(["auth", "quota", "bad_request", "context_overflow", "unknown_model", "refused"] as const)(
  "a call that failed with %s is not retried",
  async (code) => {
    const { outcome, model, statuses } = await told(failing(code));
    expect(outcome).toMatchObject({ type: "error", error: { code } });
    expect(model.requests).toHaveLength(1);
    expect(statuses).toEqual([]);
  },
);

test("an empty response is retried once, then the run ends as empty", async () => {
  const { outcome, model } = await told(failing("empty_response"), failing("empty_response"));
  expect(outcome).toMatchObject({ type: "error", error: { code: "empty_response" } });
  expect(model.requests).toHaveLength(2);
});

test("an answer after an empty response ends the run normally", async () => {
  const { outcome, journal } = await told(failing("empty_response"), { text: "ok" });
  expect(outcome.type).toBe("end_turn");
  expect((await journal.load()).messages).toHaveLength(2);
});

test("a defect in a provider ends the run with a reference that is also in the log", async () => {
  const { outcome, logLines, model } = await told({ error: new TypeError("x is not a function") });
  const ref = outcome.type === "error" ? outcome.error.detail.ref : undefined;
  expect(outcome).toMatchObject({ type: "error", error: { code: "defect" } });
  expect(ref).toMatch(/^[2-9A-Z]{5}$/);
  expect(logLines.find((line) => line.event === "model_call_failed")?.fields).toMatchObject({ ref });
  expect(model.requests).toHaveLength(1);
});

test("a model that cannot be resolved ends the run with the name of the missing setting", async () => {
  const { query } = scenario({ model: ScriptedModel.inOrder() });
  const error = new ProviderError("unknown_provider", "no such provider", { detail: { provider: "antropic" } });
  const { outcome } = await drive({
    ...query,
    registry: { available: () => [], resolve: () => Promise.reject(error) },
  });
  expect(outcome).toEqual({ type: "error", error });
});

test("a cancel during the wait ends the run at once", async () => {
  const cancel = new AbortController();
  const { query, clock } = scenario({ model: ScriptedModel.inOrder(failing("stalled")) });
  const { outcome } = await drive(query, cancel.signal, (event) => {
    if (event.type === "status") cancel.abort(new CancelSignal({ by: "person", name: "@ana" }));
  });
  expect(outcome).toEqual({ type: "cancelled", cause: { by: "person", name: "@ana" } });
  expect(clock.pending).toBe(0);
});
