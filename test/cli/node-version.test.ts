import { expect, test } from "vitest";
import { nodeProblem } from "../../src/cli/node-version.mjs";

test.each(["24.14.0", "24.21.0", "25.4.0", "26.0.0", "100.0.0"])("Node %s is supported", (version) => {
  expect(nodeProblem(version)).toBeNull();
});

test.each(["20.20.2", "22.1.0", "23.11.1", "24.13.1", "25.3.0", "8.0.0"])(
  "Node %s is too old, and one line names the remedy",
  (version) => {
    const problem = nodeProblem(version);
    expect(problem).toContain(`this is ${version}`);
    expect(problem).toContain("npm start");
    expect(problem).not.toContain("\n");
  },
);
