import { execFile, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { makeRelease } from "../../../scripts/release/make-release.ts";
import { BUILT_PROGRAM, PACKAGES_OUTSIDE } from "../../../src/launch/steps.mjs";
import { removeDirectory } from "../../support/remove-directory.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { ROOT } from "./container-files.ts";

/** A user who runs the release but may not write to it. Only root can switch to another user. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/**
 * A directory beside the project, so that files need not be copied; elsewhere if other users cannot reach that place.
 */
function place(): string {
  const beside = path.join(ROOT, "build");
  const isReachable = spawnSync("pwd", { ...NOBODY, cwd: beside }).status === 0;
  const parent = mkdtempSync(path.join(isReachable ? beside : tmpdir(), "release-"));
  chmodSync(parent, 0o755);
  return parent;
}

let parent = "";
let release = "";
beforeAll(() => {
  parent = place();
  release = path.join(parent, "deckhand");
  const isBeside = parent.startsWith(ROOT);
  expect(makeRelease({ root: ROOT, target: release, place: isBeside ? linkSync : copyFileSync })).toEqual([]);
});
afterAll(() => removeDirectory(parent));

/** Runs a program of the release with the release's own Node. */
function run(program: string, args: readonly string[], home: string) {
  const bin = path.join(release, "node_modules/.bin");
  const env = { PATH: `${bin}:/usr/bin:/bin`, HOME: home, DECKHAND_HOME: home, DECKHAND_SANDBOX: `${home}/sandbox` };
  const running = promisify(execFile)(path.join(bin, program), args, { ...NOBODY, cwd: home, env });
  running.child.stdin?.end();
  return running;
}

function homeOf(user: { readonly uid?: number; readonly gid?: number }): string {
  const home = tempDirectory();
  writeFileSync(path.join(home, "deckhand.config.json"), '{ "mode": "agi" }');
  if (user.uid !== undefined && user.gid !== undefined) chownSync(home, user.uid, user.gid);
  return home;
}

test("a release runs and uses its tools on its own, and writes only its state", async () => {
  // V8's compiled code is left out: it is written where the user may write.
  const isCompiled = (file: string) => file.startsWith(path.join(BUILT_PROGRAM, "compiled"));
  const files = () =>
    readdirSync(release, { recursive: true, encoding: "utf8" })
      .filter((file) => !isCompiled(file))
      .toSorted();
  const before = files();
  const home = homeOf(NOBODY);
  const { stdout } = await run("deckhand", ["chat", "create notes.txt with hello"], home);
  expect(stdout).toMatch(/\nDone: `notes\.txt` is there\.\n$/u);
  expect(readFileSync(path.join(home, "sandbox/terminal-main/notes.txt"), "utf8").trim()).toBe("hello");
  expect(files()).toEqual(before);
});

test("a release includes the packages that are not bundled, with their dependencies", async () => {
  const list = readFileSync(path.join(release, BUILT_PROGRAM, PACKAGES_OUTSIDE), "utf8");
  const lock = readFileSync(path.join(ROOT, "package-lock.json"), "utf8");
  const needed = z
    .array(z.string())
    .parse(JSON.parse(list))
    .filter((name) => lock.includes(`"node_modules/${name}"`));
  expect(needed).toEqual(["@dbos-inc/dbos-sdk", "better-sqlite3", "bree"]);
  const program = path.join(release, BUILT_PROGRAM, "probe.mjs");
  const script = `
    import { createRequire } from "node:module";
    const require = createRequire(${JSON.stringify(program)});
    for (const name of ${JSON.stringify(needed)}) console.log(name, typeof require(name));
    new (require("better-sqlite3"))(":memory:").close();
    console.log(process.execPath);`;
  const { stdout } = await run("node", ["--input-type=module", "--eval", script], homeOf(NOBODY));
  expect(stdout.trim().split("\n")).toEqual([
    ...needed.map((name) => expect.stringMatching(new RegExp(`^${name} (?:object|function)$`, "u"))),
    expect.stringContaining(`${release}/node_modules/node-`),
  ]);
});

test("a release omits what only builds and tests need", () => {
  const packages = readdirSync(path.join(release, "node_modules"));
  for (const name of ["vitest", "esbuild", "typescript", "prisma", "openai"]) expect(packages).not.toContain(name);
  expect(readdirSync(release)).not.toContain("test");
});
