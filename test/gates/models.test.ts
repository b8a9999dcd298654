import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { modelProblems, problemsOf } from "../../scripts/gates/models.ts";

const root = path.resolve(import.meta.dirname, "../..");
const data = readFileSync(path.join(root, "src/core/providers/models/known-models.json"), "utf8");

test("what ships has no problem", () => {
  expect(modelProblems(root)).toEqual([]);
});

test.each([
  ["no source", /"source": "[^"]+"/, '"source": ""', /source/],
  ["no day", /"asOf": "[^"]+"/, '"asOf": "lately"', /anthropic\.asOf/],
  [
    "a price per token",
    /"usd": \[4, 20, 0\.2, 5\]/,
    '"usd": [0.000004, 20, 0.2, 5]',
    /claude-opus-5-5: .*too many times/,
  ],
  ["a price of another currency", /"usd": \[4, 20, 0\.2, 5\]/, '"usd": [400, 2000, 20, 500]', /above 700/],
  [
    "a default that is missing",
    /"claude-sonnet-5-5": /,
    '"claude-sonnet-5-9": ',
    /default claude-sonnet-5-5 is missing/,
  ],
  [
    "a default without a price",
    /("mistral-large-latest": .*"usd": )\[[^\]]+\]/,
    "$1null",
    /mistral: its default .* no price/,
  ],
  ["a provider that is missing", /"venus"/, '"mars"', /venus is missing/],
  ["an unknown field", /"window": 1000000,/, '"window": 1000000, "windw": 1,', /windw/],
])("%s is named", (...[_what, found, put, problem]) => {
  expect(data).toMatch(found);
  expect(problemsOf(JSON.parse(data.replace(found, put))).join("\n")).toMatch(problem);
});
