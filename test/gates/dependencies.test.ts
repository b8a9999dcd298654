import { expect, test } from "vitest";
import { dependencyProblems } from "../../scripts/gates/dependencies.ts";
import { projectWith } from "../support/project.ts";

function problemsOf(packages: object, table: string): string[] {
  return dependencyProblems(
    projectWith({
      "package.json": JSON.stringify(packages),
      "docs/adr/dependencies.md": `| package | what for |\n${table}\n`,
    }),
  );
}

test("pinned and explained dependencies have no problem", () => {
  const packages = { dependencies: { zod: "4.6.7" }, devDependencies: { ws: "8.23.0", "@types/ws": "8.18.2-beta.1" } };
  expect(problemsOf(packages, "| `zod` | schemas, not `ajv` |\n| `ws`, `@types/ws` | tests |")).toEqual([]);
});

test("a dependency without a reason, a reason without a dependency and a range are named", () => {
  expect(problemsOf({ dependencies: { zod: "^4.6.7" } }, "| `ajv` | schemas |")).toEqual([
    "docs/adr/dependencies.md has no line for zod: what is it for, and what else was looked at?",
    "docs/adr/dependencies.md explains ajv, which package.json does not have.",
    'package.json: zod is "^4.6.7"; pin one version.',
  ]);
});
