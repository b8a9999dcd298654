import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectWith } from "../support/project.ts";

const FILES = [
  "bin/deckhand.mjs",
  "src/cli/compile-cache.mjs",
  "src/cli/node-version.mjs",
  "src/cli/trim-memory.mjs",
  "src/launch/compiled-start.mjs",
  "src/launch/freshness.mjs",
  "src/launch/ensure-built.mjs",
  "src/launch/supported-node.mjs",
  "src/launch/start.mjs",
  "src/launch/steps.mjs",
];

test("in a fresh clone one line says to run npm ci", () => {
  const project = path.resolve(import.meta.dirname, "../..");
  const clone = projectWith(
    Object.fromEntries(FILES.map((file) => [file, readFileSync(path.join(project, file), "utf8")])),
  );
  const { status, stderr } = spawnSync(process.execPath, [path.join(clone, "bin/deckhand.mjs")], { encoding: "utf8" });
  expect(stderr).toBe("Deckhand is not installed yet. Run `npm ci` first.\n");
  expect(status).toBe(1);
});
