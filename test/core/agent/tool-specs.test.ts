import { expect, test } from "vitest";
import { toolSpecs } from "../../../src/core/agent/tool-specs.ts";
import { tool } from "./query-fixture.ts";

test("a tool's schema is written once, also for a copy that is described otherwise", () => {
  const read = tool("read");
  const [first, copy] = [...toolSpecs([read]), ...toolSpecs([{ ...read, description: "reads" }])];
  expect(first?.inputSchema).toEqual({
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  });
  expect(copy?.description).toBe("reads");
  expect(copy?.inputSchema).toBe(first?.inputSchema);
});
