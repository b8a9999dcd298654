import { expect, test } from "vitest";
import { patternProblems, slowness } from "../../scripts/gates/patterns.ts";
import { projectWith } from "../support/project.ts";

test.each([
  { pattern: /[ \t]+$/gmu, slowFor: " " },
  { pattern: /<@U1(?:\|[^>]*)?>/gu, slowFor: "<@U1|" },
  { pattern: /<(\/[^:>]+):\d+>/gu, slowFor: "</" },
  { pattern: /!(?=\[[^\]\n]*\][([])/gu, slowFor: "![" },
  { pattern: /(a+)+$/u, slowFor: "a" },
  { pattern: /\/+$/u, slowFor: "/" },
])("$pattern is slow", ({ pattern, slowFor }) => {
  expect(slowness(pattern)).toContain(JSON.stringify(slowFor).slice(1, -1));
});

test.each([/(?<![ \t])[ \t]+$/gmu, /<@U1(?:\|[^<>]*)?>/gu, /^\s*x/u, /\s+/gu, /\/+$/y])("%s is not", (pattern) => {
  expect(slowness(pattern)).toBeNull();
});

test("the gate names the place, and wants a literal where it can read none", () => {
  const root = projectWith({
    "src/slow.ts": "export const slow = /a+b/u;\n",
    "src/made.ts": 'export const made = (word: string) =>\n  new RegExp("^" + word, "u");\n',
    "src/known.ts": 'export const known = new RegExp("^a", "u");\n',
    "wasm/guests/bash/slow.ts": "export const slow = /\\s+$/u;\n",
  });
  expect(patternProblems(root)).toEqual([
    "src/made.ts:2: write the pattern as a literal, so that its time can be judged.",
    'src/slow.ts:1: /a+b/ takes time that grows faster than the text of repeated "a".',
    expect.stringContaining("wasm/guests/bash/slow.ts:1:"),
  ]);
});
