import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempDirectory } from "../support/temp-directory.ts";

const ENGINE = path.resolve(import.meta.dirname, "../../src/cli/compile-cache.mjs");

describe("the compile cache is stored", () => {
  let root: string;
  let temporary: string;

  beforeEach(() => {
    root = tempDirectory();
    temporary = tempDirectory();
    mkdirSync(path.join(root, "build/program"), { recursive: true });
  });

  /** The compile cache directory of a process once it runs. */
  function directoryOf(installed: string | null, env: Record<string, string> = {}): string {
    const script = `
      import { getCompileCacheDir } from "node:module";
      import { useCompileCache } from ${JSON.stringify(ENGINE)};
      useCompileCache(process, ${JSON.stringify(installed)});
      process.stdout.write(getCompileCacheDir() ?? "none");
    `;
    const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] ?? "", TMPDIR: temporary, ...env },
    });
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    return path.dirname(stdout);
  }

  const besideBundle = () => path.join(root, "build/program/compiled");

  test("in the bundle's directory", () => {
    expect(directoryOf(root)).toBe(besideBundle());
  });

  test("in Node's default directory, if the bundle's cannot be used", () => {
    writeFileSync(besideBundle(), "in the way");
    expect(directoryOf(root)).toBe(path.join(temporary, "node-compile-cache"));
  });

  test("nowhere, if neither directory can be used", () => {
    writeFileSync(besideBundle(), "in the way");
    writeFileSync(path.join(temporary, "node-compile-cache"), "in the way");
    expect(directoryOf(root)).toBe(path.dirname("none"));
  });

  test("in Node's default directory, if the program runs from its sources", () => {
    expect(directoryOf(null)).toBe(path.join(temporary, "node-compile-cache"));
  });

  test("in the directory that an operator has set", () => {
    const chosen = tempDirectory();
    expect(directoryOf(root, { NODE_COMPILE_CACHE: chosen })).toBe(chosen);
  });
});
