import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { builtProgram } from "../../src/cli/built-program.mjs";
import { tempDirectory } from "../support/temp-directory.ts";

const EARLIER = new Date("2026-01-01T10:00:00Z");
const BUILT = new Date("2026-01-01T11:00:00Z");
const LATER = new Date("2026-01-01T12:00:00Z");

describe("the bundle", () => {
  let root: string;
  const at = (name: string) => path.join(root, name);
  const age = (name: string, time: Date) => utimesSync(at(name), time, time);

  beforeEach(() => {
    root = tempDirectory();
    for (const directory of ["src/core", "prisma/sqlite/generated", "prisma/postgresql/generated", "build/program"])
      mkdirSync(at(directory), { recursive: true });
    for (const file of ["src/main.ts", "src/core/tool.ts", "build/program/main.js"]) writeFileSync(at(file), "");
    for (const name of ["src/main.ts", "src/core/tool.ts", "src/core", "src"]) age(name, EARLIER);
    for (const name of ["prisma/sqlite/generated", "prisma/postgresql/generated"]) age(name, EARLIER);
    age("build/program/main.js", BUILT);
  });

  test("is what runs", () => {
    expect(builtProgram(root)).toBe(at("build/program/main.js"));
  });

  test.each([
    ["was never made", () => rmSync(at("build"), { recursive: true })],
    ["is older than a source", () => age("src/core/tool.ts", LATER)],
    ["is older than a source that came or went", () => age("src/core", LATER)],
    ["is older than a database client", () => age("prisma/sqlite/generated", LATER)],
  ])("does not run when it %s", (_, change) => {
    change();
    expect(builtProgram(root)).toBeNull();
  });
});
