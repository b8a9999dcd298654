import { expect, test } from "vitest";
import { madeCorpus } from "../../bench/recall/corpus.ts";
import { randomFrom } from "../../bench/recall/random.ts";

test.each([1, 2, 3, 17, 99])("the corpus of seed %i is as large as it has to be", (seed) => {
  const { statements, questions } = madeCorpus(randomFrom(seed));
  expect(statements.length).toBeGreaterThanOrEqual(2_000);
  expect(new Set(statements.map(({ thread }) => thread)).size).toBe(20);
  expect(questions.length).toBeGreaterThanOrEqual(300);
});

test("each question's evidence is there once, and another seed gives other names in another order", () => {
  const { statements, questions } = madeCorpus(randomFrom(1));
  const ids = statements.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(questions.filter(({ evidence }) => !ids.includes(evidence))).toEqual([]);
  const other = madeCorpus(randomFrom(2));
  const queries = new Set(questions.map(({ query }) => query));
  expect(other.questions.filter(({ query }) => queries.has(query))).toEqual([]);
  expect(other.statements.map(({ thread }) => thread)).not.toEqual(statements.map(({ thread }) => thread));
});
