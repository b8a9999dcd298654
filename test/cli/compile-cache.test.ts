import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { tempDirectory } from "../support/temp-directory.ts";

const ENGINE = path.resolve(import.meta.dirname, "../../src/cli/compile-cache.mjs");

describe("what V8 has compiled is kept", () => {
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

  test("where Node keeps it, when it cannot be there", () => {
    writeFileSync(besideBundle(), "in the way");
    expect(directoryOf(root)).toBe(path.join(temporary, "node-compile-cache"));
  });

  test("nowhere, when it can be in neither place", () => {
    writeFileSync(besideBundle(), "in the way");
    writeFileSync(path.join(temporary, "node-compile-cache"), "in the way");
    expect(directoryOf(root)).toBe(path.dirname("none"));
  });

  test("where Node keeps it, when the sources run", () => {
    expect(directoryOf(null)).toBe(path.join(temporary, "node-compile-cache"));
  });

  test("where an operator says", () => {
    const chosen = tempDirectory();
    expect(directoryOf(root, { NODE_COMPILE_CACHE: chosen })).toBe(chosen);
  });
});
