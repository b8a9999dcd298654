import { expect, test } from "vitest";
import { createHealthWatch } from "../../../src/features/console/overview/health-watch.ts";
import { ManualClock } from "../../support/manual-clock.ts";

test("what a platform says until it is connected for the first time is no trouble; what it says later is", () => {
  const clock = new ManualClock();
  let health = { connected: false, detail: "connecting" };
  const watch = createHealthWatch(() => new Map([["slack", health]]), clock);
  const trouble = (connected: boolean, detail: string) => {
    health = { connected, detail };
    return watch.states().get("slack")?.lastProblem?.detail ?? null;
  };
  expect(trouble(false, "connecting")).toBeNull();
  expect(trouble(false, "connecting by Socket Mode")).toBeNull();
  expect(trouble(true, "connected")).toBeNull();
  expect(trouble(false, "the connection broke")).toBe("the connection broke");
  expect(trouble(false, "status 503")).toBe("status 503");
  expect(trouble(true, "connected")).toBe("status 503");
});
