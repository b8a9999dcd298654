import { expect, test } from "vitest";
import { lineWithFormValues } from "../../../src/core/command-line/form-line.ts";
import { skillArguments } from "../../../src/core/command-line/skill-line.ts";

test.each([
  { values: { path: "src" }, expected: ["review", "path=src"] },
  { values: { place: "San Francisco", days: "3" }, expected: ["review", "place=San Francisco", "days=3"] },
  { values: { said: 'he said "no" to C:\\temp' }, expected: ["review", 'said=he said "no" to C:\\temp'] },
  { values: { place: "  ", days: "" }, expected: ["review"] },
  { values: null, expected: ["review"] },
])("a form filled with $values is understood as it was meant", ({ values, expected }) => {
  expect(skillArguments(lineWithFormValues("review", values)).values).toEqual(expected);
});
