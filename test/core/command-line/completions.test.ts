import { expect, test } from "vitest";
import { describedCompletion, matchingCompletions } from "../../../src/core/command-line/completions.ts";

const JOBS = [
  { value: "job_2", label: "Weather of Lyon · every day at 09:00" },
  { value: "job_1", label: "Weather · every day at 08:00" },
  { value: "job_3", label: "The weather · every hour" },
];
const MODELS = ["some/model-mini", "some/model", "other/model"].map((value) => ({ value, label: value }));
const SKILLS = [describedCompletion("code-review", "Reviews."), describedCompletion("review", "Looks at code.")];

test.each([
  { typed: "weather", all: JOBS, values: ["job_1", "job_2", "job_3"] },
  { typed: "Weather o", all: JOBS, values: ["job_2"] },
  { typed: "job_3", all: JOBS, values: ["job_3"] },
  { typed: " some/MODEL ", all: MODELS, values: ["some/model", "some/model-mini"] },
  { typed: "model", all: MODELS, values: ["some/model-mini", "some/model", "other/model"] },
  { typed: "review", all: SKILLS, values: ["review", "code-review"] },
  { typed: "", all: JOBS, values: ["job_2", "job_1", "job_3"] },
  { typed: "nothing like it", all: JOBS, values: [] },
])("completions of “$typed” list the exact match first, then prefix matches", ({ typed, all, values }) => {
  expect(matchingCompletions(all, typed).map(({ value }) => value)).toEqual(values);
});
