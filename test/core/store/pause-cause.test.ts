import { expect, test } from "vitest";
import { pauseCauseOf } from "../../../src/core/store/pause-cause.ts";

test.each([
  ["It was due once.", { by: "due_once" }],
  ["It is off in the file of jobs.", { by: "jobs_file" }],
  ["It failed 3 times in a row.", { by: "refusal", reason: "It failed 3 times in a row." }],
  ['{"by":"failures","count":3}', { by: "failures", count: 3 }],
])("what paused a job is read from rows of any version: %s", (stored, cause) => {
  expect(pauseCauseOf(stored)).toEqual(cause);
});
