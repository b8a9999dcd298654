import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { BUILT_PROGRAM } from "../../src/launch/steps.mjs";

const PROGRAM = path.resolve(import.meta.dirname, "../..", BUILT_PROGRAM);

/** Text of all files of this kind that the build has made. */
function textOf(kind: "js" | "js.map"): string {
  return globSync(`*.${kind}`, { cwd: PROGRAM })
    .map((file) => readFileSync(path.join(PROGRAM, file), "utf8"))
    .join("\n");
}

test("the bundle excludes Express, and zod's messages in more than one language", () => {
  const sources = textOf("js.map");
  const isIn = (file: string) => sources.includes(file);
  const kept = ["/node_modules/@slack/bolt/src/App.ts", "/node_modules/zod/v4/locales/en.js"];
  const leftOut = ["/node_modules/express/", "/node_modules/zod/v4/locales/de.js"];
  expect({ kept: kept.filter(isIn), leftOut: leftOut.filter(isIn) }).toEqual({ kept, leftOut: [] });
});

test.each([
  ["a class", /\bclass ProviderError extends|\bProviderError=class extends/u],
  ["a function", /\basync function warmUp\(/u],
])("%s of the bundle keeps its source name, so that stack traces are readable", (_, declaration) => {
  expect(declaration.test(textOf("js"))).toBe(true);
});
