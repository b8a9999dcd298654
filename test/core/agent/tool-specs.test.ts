import { expect, test } from "vitest";
import { z } from "zod";
import { toolSpecs } from "../../../src/core/agent/tool-specs.ts";
import { tool } from "./query-fixture.ts";

test("a tool's schema is serialised once, also for a copy with another description", () => {
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

test("a request contains the offer's description and arguments, without the schema's bounds", () => {
  const input = z.object({
    path: z.string().min(1).max(9).describe("A long story about paths."),
    kinds: z.array(z.string().min(1)).max(3).default([]).describe("Kinds."),
    sort: z.enum(["up", "down"]).default("up"),
    seldom: z.boolean().default(false),
  });
  const offer = { about: "Looks.", arguments: { path: "", kinds: "At most three.", sort: "" } };
  const look = { ...tool("look"), offer, inputSchema: () => z.toJSONSchema(input, { io: "input" }) };
  const [spec] = toolSpecs([look]);
  expect(spec?.description).toBe("Looks.");
  expect(spec?.inputSchema).toMatchObject({ type: "object", required: ["path"] });
  expect(spec?.inputSchema["properties"]).toEqual({
    path: { type: "string" },
    kinds: { description: "At most three.", type: "array", items: { type: "string" } },
    sort: { default: "up", type: "string", enum: ["up", "down"] },
  });
});
