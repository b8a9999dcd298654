import { expect, test } from "vitest";
import { cacheAnswers } from "../../src/core/answer-cache.ts";
import { ManualClock } from "../support/manual-clock.ts";

function asked(answers: readonly (string | null | Error)[]) {
  const clock = new ManualClock();
  const about: string[] = [];
  const ask = cacheAnswers(
    async (person: string, place: { readonly id: string }) => {
      about.push(`${person} ${place.id}`);
      const answer = answers[about.length - 1] ?? null;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    { forMs: 1_000, most: 10, isLasting: (answer) => answer !== null, clock },
  );
  return { clock, about, ask };
}

test("an answer is cached for a while and shared by concurrent requests", async () => {
  const { clock, about, ask } = asked(["one", "another", "third"]);
  expect(await Promise.all([ask("ana", { id: "1" }), ask("ana", { id: "1" })])).toEqual(["one", "one"]);
  expect(await ask("ana", { id: "2" })).toBe("another");
  await clock.advance(1_000);
  expect(await ask("ana", { id: "1" })).toBe("third");
  expect(about).toEqual(["ana 1", "ana 2", "ana 1"]);
});

test("failures and uncacheable answers are not cached", async () => {
  const { ask } = asked([new Error("away"), null, "one"]);
  await expect(ask("ana", { id: "1" })).rejects.toThrow("away");
  expect(await ask("ana", { id: "1" })).toBeNull();
  expect(await ask("ana", { id: "1" })).toBe("one");
});

test("setting the clock back extends no answer's lifetime", async () => {
  const { clock, ask } = asked(["one", "another"]);
  expect(await ask("ana", { id: "1" })).toBe("one");
  clock.set(clock.now() - 60_000);
  expect(await ask("ana", { id: "1" })).toBe("another");
});
