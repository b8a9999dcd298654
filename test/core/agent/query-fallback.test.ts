import { expect, test } from "vitest";
import { type ErrorCode, ProviderError } from "../../../src/core/protocol/errors.ts";
import { explain } from "../../../src/core/protocol/explain.ts";
import { MemoryJournal, ProcessDied } from "../../support/database/memory-journal.ts";
import { drive, type Reply, ScriptedModel, scenario, userMessage } from "./query-fixture.ts";

const FACTS = { contextWindow: 200_000, maxOutputTokens: 64_000, price: null };

function failing(code: ErrorCode, { retryAfterMs, ...more }: Reply & { retryAfterMs?: number } = {}): Reply {
  const detail = { providerName: "Anthropic", model: "claude-opus-5-5" };
  const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
  return { ...more, error: new ProviderError(code, code, { detail, ...asked }) };
}

const overloaded = failing("overloaded");

/** Two models, each with its own script; `second` is null if the fallback cannot be used. */
function twoModels(given: { first: Reply[]; second: Reply[] | null; journal?: MemoryJournal }) {
  const first = ScriptedModel.inOrder(...given.first);
  const second = ScriptedModel.inOrder(...(given.second ?? []));
  const journal = given.journal ?? new MemoryJournal([userMessage("go")]);
  const { query, clock } = scenario({ model: first, journal, config: { fallbackModel: "scripted/gpt-6-sol" } });
  const registry: typeof query.registry = {
    available: () => ["scripted"],
    resolve: async (ref) => {
      if (ref === "scripted/one") return { provider: first, model: "one", facts: FACTS };
      if (given.second === null) throw new ProviderError("auth", "no key");
      return { provider: second, model: "gpt-6-sol", facts: FACTS };
    },
  };
  const play = async () => {
    const startedAt = clock.now();
    const run = drive({ ...query, registry });
    const outcome = run.catch((error: unknown) => error);
    await clock.runAll();
    await outcome;
    const { events, outcome: end } = await run;
    const statuses = events.flatMap((event) => (event.type === "status" ? [event.text] : []));
    return { events, outcome: end, statuses, elapsedMs: clock.now() - startedAt };
  };
  return { play, first, second, journal };
}

test("a persistently overloaded model is replaced by the fallback model once, visibly, within 5 s", async () => {
  const { play, first, second, journal } = twoModels({
    first: [overloaded, overloaded, overloaded],
    second: [{ text: "ok" }],
  });
  const { outcome, statuses, elapsedMs } = await play();
  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "ok" }] } });
  expect(statuses).toEqual([
    "⚠ claude-opus-5-5 is overloaded; trying again (1 of 2).",
    "⚠ claude-opus-5-5 is overloaded; trying again (2 of 2).",
    "⚠ claude-opus-5-5 is overloaded; going on with gpt-6-sol.",
  ]);
  expect(first.requests).toHaveLength(3);
  expect(second.requests).toHaveLength(1);
  expect(journal.responses[0]?.model).toBe("scripted/gpt-6-sol");
  expect(elapsedMs).toBeLessThanOrEqual(5_000);
});

test.each(["provider_failed", "network"] as const)(
  "a provider that fails with %s is replaced by the fallback model after 5 s, visibly",
  async (code) => {
    const { play, second } = twoModels({
      first: Array.from({ length: 9 }, () => failing(code)),
      second: [{ text: "ok" }],
    });
    const { outcome, statuses, elapsedMs } = await play();
    expect(outcome.type).toBe("end_turn");
    expect(statuses.at(-1)).toMatch(/^⚠ .* (?:is not responding|can't be reached); going on with gpt-6-sol\.$/);
    expect(statuses.at(-2)).toContain("trying again in");
    expect(second.requests).toHaveLength(1);
    expect(elapsedMs).toBe(5_000);
  },
);

test("when both models are overloaded, the run ends within 20 s with an explanation", async () => {
  const { play, second } = twoModels({
    first: [overloaded, overloaded, overloaded],
    second: [overloaded, overloaded, overloaded],
  });
  const { outcome, elapsedMs } = await play();
  expect(outcome).toMatchObject({ type: "error", error: { code: "overloaded" } });
  expect(outcome.type === "error" && explain(outcome.error)).toMatch(
    /^✗ Both models are overloaded\. I tried for \d+ s\./,
  );
  expect(second.requests).toHaveLength(3);
  expect(elapsedMs).toBeLessThanOrEqual(20_000);
});

test.each<{ name: string; failure: Reply; status: string }>([
  {
    name: "an account at its limit",
    failure: failing("quota"),
    status: "⚠ The Anthropic account has reached its spending or usage limit; going on with gpt-6-sol.",
  },
  {
    name: "a wait longer than a minute",
    failure: failing("rate_limited", { retryAfterMs: 61_000 }),
    status: "⚠ Anthropic is limiting my requests right now; going on with gpt-6-sol.",
  },
  {
    name: "an overload that lasts longer than the retries",
    failure: failing("overloaded", { retryAfterMs: 30_000 }),
    status: "⚠ claude-opus-5-5 is overloaded; going on with gpt-6-sol.",
  },
])("$name is not retried before the fallback", async ({ failure, status }) => {
  const { play, first } = twoModels({ first: [failure], second: [{ text: "ok" }] });
  const { outcome, statuses } = await play();
  expect(outcome.type).toBe("end_turn");
  expect(statuses).toEqual([status]);
  expect(first.requests).toHaveLength(1);
});

test.each(["auth", "bad_request", "unknown_model", "refused"] as const)(
  "a failure with %s does not switch to the fallback model",
  async (code) => {
    const { play, second } = twoModels({ first: [failing(code)], second: [{ text: "ok" }] });
    expect((await play()).outcome).toMatchObject({ type: "error", error: { code } });
    expect(second.requests).toHaveLength(0);
  },
);

test("partial text of the first model is discarded", async () => {
  const { play } = twoModels({
    first: [failing("quota", { text: "Half" })],
    second: [{ text: "Whole" }],
  });
  const { events } = await play();
  expect(events.map((event) => (event.type === "token" ? event.text : event.type))).toEqual([
    "turn_start",
    "Half",
    "text_discarded",
    "status",
    "Whole",
    "turn_end",
  ]);
});

test("if the fallback model cannot be used, the first model's error is reported", async () => {
  const { play } = twoModels({ first: [failing("quota")], second: null });
  expect((await play()).outcome).toMatchObject({ type: "error", error: { code: "quota" } });
});

test("the switch lasts for the rest of the run, also after a restart", async () => {
  const journal = new MemoryJournal([userMessage("go")]);
  journal.crashAt({ write: 3, when: "before" });
  const killed = twoModels({ first: [failing("quota")], second: [{ text: "lost" }], journal });
  await expect(killed.play()).rejects.toThrow(ProcessDied);
  journal.restart();

  const next = twoModels({ first: [], second: [{ text: "cut", stopReason: "max_tokens" }, { text: " off" }], journal });
  const { outcome } = await next.play();

  expect(outcome).toMatchObject({ type: "end_turn", message: { content: [{ text: "cut off" }] } });
  expect(next.first.requests).toHaveLength(0);
  expect(journal.writes).toEqual(["callFailed", "modelSwitched", "modelResponded", "resumed", "modelResponded"]);
});
