import { expect, test } from "vitest";
import { withPlainTables } from "../../../../src/adapters/render/markdown/plain-tables.ts";

test("a table's columns stand below each other, without the marks that a code block would show", () => {
  const table = "| Service | Port |\n|---|---:|\n| **api** | `80` |\n| a \\| b | 9090 |";
  expect(withPlainTables(`Look:\n\n${table}\n\nThat is all.`)).toBe(
    "Look:\n\n```\nService  Port\n-------  ----\napi        80\na | b    9090\n```\n\nThat is all.",
  );
});

test("a table that is too wide for that is a list", () => {
  const long = "slow since the last deploy, because the connection pool is exhausted";
  expect(withPlainTables(`| Service | Owner | Remark |\n|:-:|---|---|\n| \`worker\` | | ${long} |`)).toBe(
    `- **worker** · Remark: ${long}`,
  );
});

test.each([
  ["in a code block", "```\n| a |\n|---|\n| 1 |\n```"],
  ["without the line below its head", "| a | b |\n\nmore"],
  ["of other things", "a || b\nc"],
])("bars %s stay as they are", (_where, markdown) => {
  expect(withPlainTables(markdown)).toBe(markdown);
});
