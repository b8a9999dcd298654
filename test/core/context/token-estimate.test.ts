import { expect, test } from "vitest";
import { TokenMeter, textTokens } from "../../../src/core/context/token-estimate.ts";
import { PIXEL, said, user } from "../../support/talk/conversation.ts";

test.each([
  { name: "English", text: "a".repeat(360), tokens: 100 },
  { name: "digits", text: "1".repeat(180), tokens: 100 },
  { name: "Chinese", text: "字".repeat(100), tokens: 95 },
  { name: "Korean", text: "한".repeat(100), tokens: 95 },
  { name: "accented letters", text: "é".repeat(240), tokens: 100 },
  { name: "nothing", text: "", tokens: 0 },
])("$name counts about $tokens tokens", ({ text, tokens }) => {
  expect(textTokens(text)).toBeCloseTo(tokens, 5);
});

test("estimating a million characters takes linear time", () => {
  const started = performance.now();
  for (const text of ["a".repeat(1_000_000), "é字1 ".repeat(250_000)]) textTokens(text);
  expect(performance.now() - started).toBeLessThan(10_000);
});

test("an uncalibrated model gets a safety margin, a calibrated one its own ratio", () => {
  const meter = new TokenMeter();
  expect(meter.corrected("a/b", 1_000)).toBe(1_300);
  meter.learn("a/b", 1_000, 900);
  expect(meter.corrected("a/b", 1_000)).toBe(900);
  meter.learn("a/b", 1_000, 1_900);
  expect(meter.corrected("a/b", 1_000)).toBe(1_200);
  expect(meter.corrected("a/other", 1_000)).toBe(1_300);
});

test.each([
  { tokens: 1_000_000, corrected: 3_000 },
  { tokens: 1, corrected: 500 },
  { tokens: 0, corrected: 1_300 },
])("usage of $tokens tokens for a size of 1000 is clamped to $corrected", ({ tokens, corrected }) => {
  const meter = new TokenMeter();
  meter.learn("a/b", 1_000, tokens);
  expect(meter.corrected("a/b", 1_000)).toBe(corrected);
});

test("an image counts as an image, not as its characters", () => {
  const image = said("user", [{ type: "image", mediaType: "image/png", data: PIXEL.repeat(10_000) }]);
  expect(new TokenMeter().sizeOf([image])).toBeLessThan(2_000);
  expect(new TokenMeter().sizeOf([user("a".repeat(3_600))])).toBeGreaterThan(1_000);
});
