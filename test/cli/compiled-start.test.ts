import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { HEAP } from "../../src/cli/trim-memory.mjs";

const ROOT = path.resolve(import.meta.dirname, "../..");
const FLAGS = process.platform === "linux" ? HEAP : [];

/** What a process with these V8 flags starts from. */
function startedFrom(flags: readonly string[]): string {
  const script = `
    import { trimMemory } from "./src/cli/trim-memory.mjs";
    import { loadCompiledStart } from "./src/launch/compiled-start.mjs";
    trimMemory(process);
    const start = loadCompiledStart(process.cwd());
    process.stdout.write(start === null ? "modules" : typeof start.runCommandLine);
  `;
  const { stdout, stderr, status } = spawnSync(process.execPath, [...flags, "--input-type=module", "--eval", script], {
    encoding: "utf8",
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", MALLOC_TRIM_THRESHOLD_: "1" },
  });
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return stdout;
}

test("the start uses the build's compiled code, or modules if Node's flags differ", () => {
  expect(startedFrom(FLAGS)).toBe("function");
  expect(startedFrom([...FLAGS, "--stack-size=900"])).toBe("modules");
});
