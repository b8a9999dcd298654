import { expect, test } from "vitest";
import { dollars } from "../../../src/core/text/dollars.ts";

test.each([
  [0, "$0.00"],
  [0.000_01, "< $0.0001"],
  [0.0001, "$0.0001"],
  [0.0042, "$0.0042"],
  [0.012, "$0.012"],
  [0.02, "$0.02"],
  [0.0999, "$0.0999"],
  [0.47, "$0.47"],
  [3, "$3.00"],
  [1_234.567, "$1234.57"],
])("%d reads %s", (usd, read) => {
  expect(dollars(usd)).toBe(read);
});
