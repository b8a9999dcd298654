import { expect, test } from "vitest";
import { lockProblems } from "../../scripts/gates/lock.ts";
import { projectWith } from "../support/project.ts";

interface Entry {
  readonly integrity?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function problemsOf(packages: Record<string, Entry>): string[] {
  return lockProblems(projectWith({ "package-lock.json": JSON.stringify({ packages }) }));
}

const root: Entry = {};
const tool: Entry = { integrity: "sha512-x", optionalDependencies: { "tool-linux-x64": "1.0.0" } };

test("a lock file with every platform's package has no problem", () => {
  expect(
    problemsOf({
      "": root,
      "node_modules/tool": tool,
      "node_modules/tool/node_modules/tool-linux-x64": { integrity: "sha512-y" },
    }),
  ).toEqual([]);
});

test("a missing platform package is named with what may need it", () => {
  expect(problemsOf({ "": root, "node_modules/tool": tool })).toEqual([
    "package-lock.json lacks tool-linux-x64@1.0.0, which node_modules/tool may need.",
  ]);
});

test("a package without integrity is named", () => {
  expect(problemsOf({ "": root, "node_modules/tool": {} })).toEqual([
    "package-lock.json has no integrity for node_modules/tool.",
  ]);
});
