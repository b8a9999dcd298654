import { expect, test } from "vitest";
import { isShell } from "../../../../src/core/providers/demo/program.ts";

test.each([
  "ls -la | head",
  "ls",
  "ls; pwd",
  "find . -name '*.log' -mtime +30",
  "echo hello > notes.txt",
  "cat config.toml",
  "LANG=C sort names.txt",
  "./build.sh",
  "for f in *.txt; do wc -l $f; done",
  "if [ -f a ]; then cat a; fi",
])("“%s” is a line of shell", (program) => {
  expect(isShell(program)).toBe(true);
});

test.each([
  "1 + 1",
  "[1, 2, 3].map(x => x * x)",
  "let a = 1;\na + 1",
  "x => x * 2",
  "a + b",
  "a = 5",
  "console.log(1)",
  "Math.max(1, 2)",
  "new Date()",
  "for (const x of [1]) console.log(x)",
  "if (true) 1",
  "`a${1}`",
  "a;",
])("“%s” is JavaScript", (program) => {
  expect(isShell(program)).toBe(false);
});
