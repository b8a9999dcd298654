import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { removeUnfinished, replaceFolder } from "../../wasm/build-folder.ts";
import { tempDirectory } from "../support/temp-directory.ts";

test("a folder is replaced as a whole, with what an earlier build left in it", async () => {
  const directory = tempDirectory();
  const target = path.join(directory, "guest");
  const fill = (name: string) => async (folder: string) => writeFileSync(path.join(folder, name), name);
  await replaceFolder(target, { fill: fill("old"), isCurrent: () => false });
  await replaceFolder(target, { fill: fill("new"), isCurrent: () => false });
  expect(readdirSync(target)).toEqual(["new"]);
  expect(readdirSync(directory)).toEqual(["guest"]);
});

test("a build that fails leaves the folder as it was, and nothing beside it", async () => {
  const directory = tempDirectory();
  const target = path.join(directory, "guest");
  mkdirSync(target);
  writeFileSync(path.join(target, "file"), "old");
  const fill = async (folder: string): Promise<void> => {
    writeFileSync(path.join(folder, "half"), "");
    throw new Error("no component");
  };
  await expect(replaceFolder(target, { fill, isCurrent: () => false })).rejects.toThrow("no component");
  expect(readFileSync(path.join(target, "file"), "utf8")).toBe("old");
  expect(readdirSync(directory)).toEqual(["guest"]);
});

test("what builds that were killed left is removed; what is being built, and what is built, stays", async () => {
  const directory = tempDirectory();
  const names = ["bash", ".bash.new-1", ".bash.new-2", "4f0c-1.0.new-Xy12Za"];
  for (const name of names) mkdirSync(path.join(directory, name));
  const longAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const name of names.filter((candidate) => candidate !== ".bash.new-2"))
    utimesSync(path.join(directory, name), longAgo, longAgo);
  await removeUnfinished(directory);
  expect(readdirSync(directory)).toEqual([".bash.new-2", "bash"]);
});
