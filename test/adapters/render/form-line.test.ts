import { expect, test } from "vitest";
import { formArguments } from "../../../src/adapters/render/form-line.ts";
import { skillArguments } from "../../../src/core/commands/skill-line.ts";

test.each([
  { values: { path: "src" }, expected: ["review", "path=src"] },
  { values: { place: "San Francisco", days: "3" }, expected: ["review", "place=San Francisco", "days=3"] },
  { values: { said: 'he said "no" to C:\\temp' }, expected: ["review", 'said=he said "no" to C:\\temp'] },
  { values: { place: "  ", days: null, more: undefined }, expected: ["review"] },
])("a form filled with $values is understood as it was meant", ({ values, expected }) => {
  expect(skillArguments(formArguments({ line: "review" }, values)).values).toEqual(expected);
});
