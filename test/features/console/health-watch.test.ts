import { expect, test } from "vitest";
import { createHealthWatch } from "../../../src/features/console/overview/health-watch.ts";
import { ManualClock } from "../../support/manual-clock.ts";

test("a platform's status before its first connection is not recorded as a problem; a later one is", () => {
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
