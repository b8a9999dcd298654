import * as fc from "fast-check";
import { expect, test } from "vitest";
import { prefilterOf } from "../../src/tools/wasm/workspace/prefilter.ts";
import { coveredLines, matchingLines } from "../../wasm/guests/files/match-lines.ts";
import { needlesOf, shapesOf } from "../../wasm/guests/files/needles.ts";
import { compile } from "../../wasm/guests/files/pattern.ts";

const derived = [
  ["hello", ["hello"]],
  ["a\\.b", ["a.b"]],
  ["abcd?e+", ["abc"]],
  ["foo|barista", ["foo", "barista"]],
  ["foo|b", []],
  ["x(?:import|export) \\w+", ["import", "export"]],
  ["(?=look)ahead", ["ahead"]],
  ["[abc]def", ["def"]],
  ["[\\]x]yz", ["yz"]],
  ["a{3}bc", ["aaabc"]],
  ["a{2,}bc", ["aabc"]],
  ["a{0}bc", ["bc"]],
  ["[n]ee[d]le", ["needle"]],
  ["ab[\\d]+cd", ["ab"]],
  ["(abc)*de", ["de"]],
  ["\\x41bc", ["bc"]],
  ["\\d+\\s*", []],
  ["(?<name>inner)", ["inner"]],
  ["a{,3}b", ["a{,3}b"]],
] as const;

test.each(derived)("every match of %s must contain %j", (source, needles) => {
  expect(needlesOf(source, { ignoreCase: false, unicode: false })).toEqual(needles);
});

const DIGITS = "0123456789";

const shaped = [
  ["\\d{2}-\\d", [[DIGITS, DIGITS, "-", DIGITS]]],
  ["\\d{2,}-x?[yz]", [[DIGITS, DIGITS, "-"]]],
  ["[a-c\\]-].[^a]", [["abc]-"]]],
  ["[0-9]é[x-z][\\d]", [["xyz", DIGITS]]],
  ["[xy]|Z", [["xy"], ["Z"]]],
  ["\\w\\w", []],
  ["\\s[é]", []],
  ["[\\d-z]\\D[]", []],
] as const;

test.each(shaped)("every match of %s must contain the character shapes %j", (source, shapes) => {
  expect(shapesOf(source, { ignoreCase: false, unicode: false })).toEqual(shapes);
});

test("a shape includes both cases of its letters when case is ignored", () => {
  expect(shapesOf("[a1]", { ignoreCase: true, unicode: false })).toEqual([["a1A"]]);
});

test("all shapes together stay within the host's limit", () => {
  const source = `${"[ab]".repeat(40)}|${"[cd]".repeat(40)}`;
  expect(shapesOf(source, { ignoreCase: false, unicode: false }).map((shape) => shape.length)).toEqual([15, 15]);
});

test.each([["xyz"], ["0".repeat(33)], [""], ["0".repeat(32 * 32)]])(
  "a guest's request with the invalid shape %j is refused",
  (shape) => {
    expect(() => prefilterOf({ needles: [], foldCase: false, shapes: [shape] })).toThrow(/place/);
  },
);

const alphabet = fc.constantFrom("a", "b", "A", "é", "\n", "\r\n", " ", "1");
const atom = fc.constantFrom(
  "a",
  "b",
  "ab",
  "é",
  ".",
  "\\d",
  "\\s",
  "[^a]",
  "[ab]",
  "[1b]",
  "[^1]",
  "[a-b-]",
  "\\w",
  "^",
  "$",
  "\\b",
  "\\x61",
  "\\u0062",
  "1",
);
const quantifier = fc.constantFrom("", "", "", "?", "*", "+", "{2}", "{0,1}", "{0}", "{1,2}", "{2,}", "+?");
const piece = fc
  .tuple(atom, quantifier)
  .map(([one, times]) =>
    ["^", "$", "\\b"].includes(one) ? one : `${one.length > 1 && /^\w/.test(one) ? `(?:${one})` : one}${times}`,
  );
const pattern: fc.Arbitrary<string> = fc
  .letrec((tie) => ({
    node: fc.oneof({ maxDepth: 3 }, piece, tie("group"), tie("sequence"), tie("choice")),
    group: fc
      .tuple(tie("node"), fc.constantFrom("(?:", "("), quantifier)
      .map(([inner, open, times]) => `${open}${String(inner)})${times}`),
    sequence: fc.tuple(tie("node"), tie("node")).map(([a, b]) => `${String(a)}${String(b)}`),
    choice: fc.tuple(tie("node"), tie("node")).map(([a, b]) => `(?:${String(a)}|${String(b)})`),
  }))
  .node.map(String);
const content = fc.array(alphabet, { maxLength: 30 }).map((parts) => parts.join(""));

test("every text with a match passes the prefilter (property)", () => {
  fc.assert(
    fc.property(pattern, content, fc.boolean(), (source, text, ignoreCase) => {
      const { regex, prefilter } = compile(source, { ignoreCase, multiline: false });
      if (regex.test(text)) expect(prefilterOf(prefilter)(Buffer.from(text))).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

test("searching a whole text finds the same lines as searching each line", () => {
  fc.assert(
    fc.property(pattern, content, (source, text) => {
      const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
      if (text.endsWith("\n") || text === "") lines.pop();
      const alone = lines.flatMap((line, index) => (new RegExp(source, "m").test(line) ? [index + 1] : []));
      const flags = { ignoreCase: false, multiline: false };
      expect([...matchingLines(text, compile(source, flags))].map(({ number }) => number)).toEqual(alone);
    }),
    { numRuns: 3_000 },
  );
});

const covered = [
  ["a\nb\nc\n", "b\\nc", [2, 3]],
  ["a b\nc\n", "a|b\\nc", [1, 2]],
  ["a\n\nb\n", "^$", [2]],
  ["a\nb", "x*", [1, 2]],
] as const;

test.each(covered)("in %j the pattern %s covers the lines %j", (text, source, numbers) => {
  const { regex } = compile(source, { ignoreCase: false, multiline: true });
  expect([...coveredLines(text, regex)].map(({ number }) => number)).toEqual(numbers);
});
