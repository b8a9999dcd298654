import { expect, test } from "vitest";
import { createAgent } from "../../../src/tools/native/agent.ts";
import { NO_OWN_FILES } from "../../../src/tools/own-files.ts";
import { nativeSession } from "../../support/native-session.ts";
import { shippedAgent } from "../../support/shipped-agents.ts";

test("the list of agent types in each request is bounded", async () => {
  const { deps } = await nativeSession();
  const models = { problemWith: () => Promise.resolve(null) };
  const offers = [3, 60, 1_000].map((count) => {
    const names = Array.from({ length: count }, (_, at) => `expert-${at}`);
    const agents = new Map(
      names.map((name) => [name, { ...shippedAgent("build"), name, description: "d".repeat(500) }]),
    );
    return (
      createAgent({ ...deps, agents, models, ownFiles: () => NO_OWN_FILES, catalogue: () => [] }).offer?.about ?? ""
    );
  });
  expect(offers[0]).toMatch(/^- expert-2: d{479}…$/mu);
  expect(offers[1]).toMatch(/^expert-0, .*, expert-59\.$/mu);
  expect(offers[2]).toMatch(/^expert-0, .* … and \d+ more\.$/mu);
  expect(Math.max(...offers.map(({ length }) => length))).toBeLessThan(4_500);
});
