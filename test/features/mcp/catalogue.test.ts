import { expect, test } from "vitest";
import { readCatalogue } from "../../../src/features/mcp/catalogue/catalogue.ts";

test("tools that do not fit are left out, and smaller ones after them are included", () => {
  const tool = (name: string, values: number) => {
    const choices = Array.from({ length: values }, (_, index) => `${index}`.padStart(7, "c"));
    return { name, inputSchema: { type: "object", properties: { a: { enum: choices } } } };
  };
  const many = Array.from({ length: 60 }, (_, index) => tool(`large${index}`, 9_500));
  const { tools, leftOut } = readCatalogue("s", { command: "x" }, [...many, tool("small", 10)]);
  expect(leftOut[0]).toMatchObject({ why: "the server's tools together are too large" });
  expect(leftOut.length).toBeLessThan(60);
  expect(tools.map(({ name }) => name)).toContain("mcp__s__small");
});
