import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();

/** More lines than a call of the guest's engine takes arguments. */
const lines = [
  { script: "column -t n | tail -1", says: "70000" },
  { script: "column n | tail -1 | tr '\\t' ' '", says: "7000 14000 21000 28000 35000 42000 49000 56000 63000 70000" },
  { script: "jq -s '[..] | length' n", says: "70001" },
  { script: "jq -cs 'map([.]) | transpose | map(length)' n", says: "[70000]" },
  { script: "echo 1 > m; diff -u m n | patch m > out; tail -1 m", says: "70000" },
];

test.each(lines)("$script reads 70,000 lines", async ({ script, says }) => {
  const result = await fileSession(sandbox).run("bash", { command: `seq 70000 > n; ${script}` });
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
