import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

/** Tests of the shell with files as large as logs are. */

const sandbox = useSandbox();

/** More lines than a call of the guest's engine takes arguments. */
const LINES = 70_000;
const LOG = Array.from({ length: LINES }, (_, at) => `2026-11-30T12:00:00Z host${at % 7} GET /users/${at} 200 12ms\n`);

test("a log of 70,000 lines can be read, piped, copied and held in a variable", async () => {
  const session = fileSession(sandbox);
  session.put("log", LOG.join(""));
  const commands = [
    "cat log | wc -l",
    "head -n 50000 log | tail -n 1",
    "cat log > /tmp/log; cp /tmp/log copy; cmp log copy && echo same",
    "cat log | md5sum",
    "x=$(cat log); echo ${#x}; echo ${#x}",
  ];
  const results: string[] = [];
  for (const command of commands) results.push(text(await session.run("bash", { command })));
  const size = LOG.join("").length;
  const md5 = createHash("md5").update(LOG.join("")).digest("hex");
  expect(results.slice(0, 4)).toEqual(
    [`${LINES}`, LOG[49_999]?.trim(), "same", `${md5}  -`].map((printed) => `exit code 0\nstdout:\n${printed}`),
  );
  expect(results[4]).toMatch(new RegExp(`^exit code 0\nstdout:\n${size - 1}\n${size - 1}\n`, "u"));
  expect(results[4]).toContain("The variable x is too large to be kept for the next call.");
});

test("read splits lines into words and follows escapes, however long the input", async () => {
  const session = fileSession(sandbox);
  session.put("input", `a\\ b c\\\nd\n${"x".repeat(100_000)} y\nlast`);
  const command =
    'while read one two; do echo "${#one}|$two"; done < input; while IFS= read -r line; do echo "${#line}"; done < input';
  expect(text(await session.run("bash", { command }))).toBe(
    ["exit code 0", "stdout:", "3|cd", "100000|y", "7", "1", "100002"].join("\n"),
  );
});

test("characters of a variable are counted, also beyond the basic plane", async () => {
  const command = "x='aé😀'; echo ${#x}; set -- 'é😀😀'; echo ${#1}; a=(x 'é😀'); echo ${#a[1]}";
  expect(text(await fileSession(sandbox).run("bash", { command }))).toBe("exit code 0\nstdout:\n3\n3\n2");
});

const lines = [
  { script: "column -t n | tail -1", says: "70000" },
  { script: "column n | tail -1 | tr '\\t' ' '", says: "7000 14000 21000 28000 35000 42000 49000 56000 63000 70000" },
  { script: "jq -s '[..] | length' n", says: "70001" },
  { script: "jq -cs 'map([.]) | transpose | map(length)' n", says: "[70000]" },
  { script: "echo 1 > m; diff -u m n | patch m > out; tail -1 m", says: "70000" },
];

test.each(lines)("$script reads 70,000 lines", async ({ script, says }) => {
  const result = await fileSession(sandbox).run("bash", { command: `seq ${LINES} > n; ${script}` });
  expect(text(result)).toBe(`exit code 0\nstdout:\n${says}`);
});

const characters = [
  { script: "tr y-z Y-Z < f | tail -c 4", says: "YYY" },
  { script: "tr -s yz < f", says: "y" },
  { script: "wc -m f", says: "6000001 f" },
];

test.each(characters)("$script reads 6 million characters", async ({ script, says }) => {
  const session = fileSession(sandbox);
  session.put("f", `${"y".repeat(6_000_000)}\n`);
  const result = await session.run("bash", { command: script });
  expect(text(result)).toBe(`exit code 0\nstdout:\n${says}`);
});
