import { expect, test } from "vitest";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { feedbackButtons } from "../../../src/core/people/feedback.ts";
import type { RunHook } from "../../../src/core/run/run-hooks.ts";
import { click, intakeOptions, mention, privateText } from "../inbound/intake-fixture.ts";

const BEN = { id: "slack:U2", name: "ben", roles: [], isBot: false, isGuest: false, isExternal: false };

async function voting(hooks: readonly RunHook[] = []) {
  const { session, ...given } = await intakeOptions();
  const options = { ...given.options, hooks: () => hooks };
  const receive = createIntake(options);
  await receive(mention("begin"));
  const { id: sessionId = "" } = (await session()) ?? {};
  const runId = "run_voted";
  const { store, runtime } = options;
  await store.transaction((tx) => tx.runs.begin({ id: runId, sessionId, eventSeq: 99, at: runtime.clock.now() }));
  const vote = async (value: "up" | "down", person?: typeof BEN) => {
    const button = feedbackButtons(runId)[value === "up" ? 0 : 1];
    return privateText(await receive(click(button?.id ?? "", person === undefined ? {} : { person })));
  };
  return { store, vote };
}

test("a vote is acknowledged, and a person's newest vote counts", async () => {
  const { store, vote } = await voting();
  expect(await vote("up")).toBe("👍 Noted, thanks.");
  expect(await vote("down")).toBe("👎 Noted, thanks. Reply in the thread and I'll try again.");
  expect(await vote("down", BEN)).toContain("👎");
  expect(await store.feedback.count({ since: 0 })).toEqual({ up: 0, down: 2 });
  expect(await vote("up", BEN)).toContain("👍");
  expect(await store.feedback.count({ since: 0, channelId: "slack:C1" })).toEqual({ up: 1, down: 1 });
  expect(await store.feedback.count({ since: 0, channelId: "slack:C2" })).toEqual({ up: 0, down: 0 });
});

test("a feature that fails on a vote affects neither the vote nor other features", async () => {
  const { store, vote } = await voting([
    { name: "sound", voted: ({ runId }, tx) => tx.journal.put(runId, "sound", { value: true, at: 0 }) },
    { name: "broken", voted: () => Promise.reject(new Error("no")) },
  ]);
  expect(await vote("up")).toBe("👍 Noted, thanks.");
  expect(await store.feedback.count({ since: 0 })).toEqual({ up: 1, down: 0 });
  expect(await store.journal.get("run_voted", "sound")).toMatchObject({ found: true });
});
