import { expect, test } from "vitest";
import { pathProblems } from "../../scripts/gates/paths.ts";
import { projectWith } from "../support/project.ts";

test("a page may only name files and folders that exist", () => {
  const root = projectWith({
    "src/there.ts": "",
    "docs/there.png": "",
    "ARCHITECTURE.md": "`src/there.ts`, `src/`, `npm test`, `data/x`\n| `src/gone.ts` | `test/gone/` |",
    "README.md":
      "![picture](docs/there.png) [web](https://example.com/docs/x) [here](#there) [gone](docs/gone.md#part)",
    "docs/adr/one.md": "[home](../../README.md) [gone](../gone.md) `src/gone.ts`",
  });
  expect(pathProblems(root)).toEqual([
    "ARCHITECTURE.md:2: names src/gone.ts, which does not exist.",
    "ARCHITECTURE.md:2: names test/gone/, which does not exist.",
    "README.md:1: names docs/gone.md, which does not exist.",
    "docs/adr/one.md:1: names docs/gone.md, which does not exist.",
    "docs/adr/one.md:1: names src/gone.ts, which does not exist.",
  ]);
});
