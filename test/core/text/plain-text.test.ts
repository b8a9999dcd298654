import { expect, test } from "vitest";
import { cut } from "../../../src/core/text/plain-text.ts";

test.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "ab…"],
  ["a😀b", 3, "a…"],
  ["😀😀", 2, "…"],
  ["abc", 0, "…"],
])("%j cut to %i is %j", (text, chars, expected) => {
  expect(cut(text, chars)).toBe(expected);
});
