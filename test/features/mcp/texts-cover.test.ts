import { expect, test } from "vitest";
import { textsCover } from "../../../src/features/mcp/texts-cover.ts";

/** Results of servers that write their structured content out as text, and of those that do not. */

const issues = {
  total: 2,
  items: [
    { key: "AB-1", title: "Torn “sails”\n" },
    { key: "AB-2", title: "Stuck\u00e9" },
  ],
};

const cases: { what: string; structured: unknown; texts: readonly string[]; said: boolean }[] = [
  { what: "the same JSON", structured: issues, texts: [JSON.stringify(issues)], said: true },
  {
    what: "the same JSON with its signs escaped",
    structured: { a: "é", b: "ü" },
    texts: ['{"a": "\\u00e9", "b": "\\u00fc"}'],
    said: true,
  },
  { what: "a result in a field", structured: { result: 'hello\n"you"' }, texts: ['hello\n"you"'], said: true },
  { what: "a text for each of a list", structured: { result: ["one", "two"] }, texts: ["one", "two"], said: true },
  { what: "a rendering for people", structured: issues, texts: ["- AB-1: Torn “sails”\n\n- AB-2: Stucké"], said: true },
  { what: "how many there are", structured: issues, texts: ["Found 2 issues."], said: false },
  { what: "nothing but yes", structured: { ok: true }, texts: ["Done."], said: true },
  { what: "an empty text", structured: { ok: true }, texts: [" "], said: false },
  { what: "no text", structured: {}, texts: [], said: false },
  { what: "no structured content", structured: null, texts: [], said: true },
];

test.each(cases)("$what covers the structured content: $said", ({ structured, texts, said }) => {
  expect(textsCover(structured, texts)).toBe(said);
});

test("large content is compared quickly", () => {
  const many = Array.from({ length: 200_000 }, (_, index) => `value ${index}`);
  expect(textsCover(many, [JSON.stringify(many)])).toBe(true);
});
