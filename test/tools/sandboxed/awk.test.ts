import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();

/** What gawk does and other kinds of awk may not, with which the comparison is made elsewhere; the exit code stands behind. */
const PROGRAMS: readonly (readonly [program: string, result: string])[] = [
  [
    'function f(a) { match("id=7", /=(.)/, a) } END { f(b); print b[1], match("k=v", /k(x)?=/, m), 1 in m }',
    "7 1 0\n0",
  ],
  ['function count(a) { return length(a) } BEGIN { c["x"]; c["y"]; print count(c), length(ARGV) }', "2 1\n0"],
  ['BEGIN { print "before"; absent(1); print "behind" }', "before\nawk: function absent is not known here\n2"],
];

test("awk does what gawk does, or says that it does not", async () => {
  const session = fileSession(sandbox);
  for (const [at, [program]] of PROGRAMS.entries()) session.put(`${at}.awk`, program);
  const command = `for at in {0..${PROGRAMS.length - 1}}; do awk -f $at.awk < /dev/null 2>&1; echo "$?;"; done`;
  const [, ...results] = text(await session.run("bash", { command })).split(/(?:^exit code 0\nstdout:|;)\n?/u);
  expect(results.slice(0, PROGRAMS.length)).toEqual(PROGRAMS.map(([, result]) => result));
});
