import { expect, test } from "vitest";
import { withPlainTables } from "../../../../src/adapters/render/markdown/plain-tables.ts";

test("a table's columns are aligned, without Markdown markers", () => {
  const table = "| Service | Port |\n|---|---:|\n| **api** | `80` |\n| a \\| b | 9090 |";
  expect(withPlainTables(`Look:\n\n${table}\n\nThat is all.`)).toBe(
    "Look:\n\n```\nService  Port\n-------  ----\napi        80\na | b    9090\n```\n\nThat is all.",
  );
});

test("a table that is too wide becomes a list", () => {
  const long = "slow since the last deploy, because the connection pool is exhausted";
  expect(withPlainTables(`| Service | Owner | Remark |\n|:-:|---|---|\n| \`worker\` | | ${long} |`)).toBe(
    `- **worker** · Remark: ${long}`,
  );
});

test("columns stay aligned with double-width characters", () => {
  expect(withPlainTables("| a | b |\n|---|---|\n| ✅ | 1 |\n| 漢字 | 2<br>3 |")).toBe(
    "```\na     b\n----  -----\n✅    1\n漢字  2 / 3\n```",
  );
});

test("a table of very many rows is shown, too", () => {
  expect(withPlainTables(`| a |\n|---|\n${"|\n".repeat(130_000)}`)).toMatch(/^```\na\n-\n/u);
});

test("a table with links becomes a list, so that the links work", () => {
  expect(withPlainTables("| Page | Address |\n|---|---|\n| Docs | [site](https://a.example) |\n| | none |")).toBe(
    "- **Docs** · Address: [site](https://a.example)\n- Address: none",
  );
});

test.each([
  ["in a code block", "```\n| a |\n|---|\n| 1 |\n```"],
  ["without the line below its head", "| a | b |\n\nmore"],
  ["of other things", "a || b\nc"],
])("pipes %s are unchanged", (_where, markdown) => {
  expect(withPlainTables(markdown)).toBe(markdown);
});
