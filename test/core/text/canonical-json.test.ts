import { expect, test } from "vitest";
import { canonicalJson } from "../../../src/core/text/canonical-json.ts";

test("equal values have equal texts, whatever the order of their keys; arrays keep theirs", () => {
  expect(canonicalJson({ b: [{ d: 1, c: null }], a: "x" })).toBe('{"a":"x","b":[{"c":null,"d":1}]}');
  expect(canonicalJson([2, 1])).not.toBe(canonicalJson([1, 2]));
});
