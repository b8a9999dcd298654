import { expect, test } from "vitest";
import { answerWithin } from "../../../../src/core/store/database/answer-within.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

test("a database that does not answer in time is a lost connection", async () => {
  const clock = new ManualClock();
  const refused = expect(answerWithin(1_000, new Promise(() => undefined), clock)).rejects.toThrow(
    "the database does not answer",
  );
  await clock.advance(1_250);
  await refused;
});

test("an answer that a process stopped meanwhile receives just after its expired timer counts", async () => {
  const clock = new ManualClock();
  const { promise, resolve } = Promise.withResolvers<string>();
  const answer = answerWithin(1_000, promise, clock);
  await clock.advance(1_000);
  resolve("held");
  expect(await answer).toBe("held");
  expect(clock.pending).toBe(0);
});
