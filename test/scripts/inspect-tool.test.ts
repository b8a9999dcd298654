import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("inspect-tool says in one line that a folder does not exist", () => {
  const args = ["scripts/inspect-tool.ts", "/nowhere/word_count"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: "✗ there is no file or folder /nowhere/word_count\n",
    stderr: "",
  });
});
