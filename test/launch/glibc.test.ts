import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { glibcProblem, OLDEST_GLIBC_MINOR } from "../../scripts/build/glibc.ts";

test.each(["2.34", "2.41", null])("glibc %s is accepted, also if unknown", (glibc) => {
  expect(glibcProblem(glibc)).toBeNull();
});

test("an older glibc is reported with the required version and where to get it", () => {
  expect(glibcProblem("2.31")).toMatch(/glibc 2\.34 or newer, such as Debian 12.* has 2\.31\. The container image/u);
});

test.runIf(process.platform === "linux")("no binary loaded by a start or a build requires a newer glibc", () => {
  const { arch } = process;
  const binaries = [
    `better-sqlite3/prebuilds/linux-${arch}.node`,
    `@andreiltd/componentize-qjs-binding-linux-${arch}-gnu/componentize-qjs.linux-${arch}-gnu.node`,
    `node-linux-${arch}/bin/node`,
  ];
  const asked = binaries.map((file) => {
    const binary = readFileSync(path.resolve(import.meta.dirname, "../../node_modules", file), "latin1");
    return Math.max(...[...binary.matchAll(/GLIBC_2\.(\d+)/gu)].map(([, minor]) => Number(minor)));
  });
  expect(Math.max(...asked)).toBe(OLDEST_GLIBC_MINOR);
});
