import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";
import { PROGRAMS as COMPARED, FILES } from "./awk-programs.ts";

const sandbox = useSandbox();

/** Programs on which gawk may differ from the awk used for the comparison; the result ends with the exit code. */
const PROGRAMS: readonly (readonly [program: string, result: string])[] = [
  [
    'function f(a) { match("id=7", /=(.)/, a) } END { f(b); print b[1], match("k=v", /k(x)?=/, m), 1 in m }',
    "7 1 0\n0",
  ],
  ['function count(a) { return length(a) } BEGIN { c["x"]; c["y"]; print count(c), length(ARGV) }', "2 1\n0"],
  ['BEGIN { print "before"; absent(1); print "behind" }', "awk: function absent is not known here\n2"],
  [
    'BEGIN { s = "a cat, a dot\\ncatalogue"; print gsub(/\\<cat\\>/, "X", s), s, s ~ /t.c/ }',
    "1 a X, a dot\ncatalogue 1\n0",
  ],
  [
    'BEGIN { $0 = "10 9 0.0 x"; t = "10"; print (t < 9), ($1 < 9), ($1 > $2), ($3 ? "t" : "f"), ("0" ? "t" : "f"), substr(10, 1) < 9 }',
    "1 0 1 f t 1\n0",
  ],
  [
    'BEGIN { if (c["a"] == 0) c["a"]++; print c["a"], (u == 0), (u == ""), ($9 == 0), ("b" in c), 2 ^ 53 }',
    "1 1 1 0 0 9007199254740992\n0",
  ],
  [
    'function f(a) { return a + 1 } BEGIN { srand(3); x = rand(); print srand(3), x == rand(); printf "%s %d\\n", 0.1 + 0.2, f() }',
    "3 1\n0.3 1\n0",
  ],
  [
    'BEGIN { s = "a/b/c"; gsub("/", "_", s); print s, match("x/y", "/"), gensub("/", "-", "g", "p/q"); exit 4 } END { exit }',
    "a_b_c 2 p-q\n4",
  ],
  [
    'BEGIN { f = "/tmp/of"; print "x y" > f 1 ".txt"; close(f "1.txt"); getline < (f "1.txt"); print $2; RS = ""; FS = "y"; $0 = "x y\\nz"; print NF }',
    "y\n3\n0",
  ],
  [
    String.raw`BEGIN { s = "\033[1mbold\033[0m"; t = s; gsub(/\033\[[0-9;]*m/, "", s); gsub(/\x1b\[[0-9;]*m/, "", t); print s, t; FS = "\0"; $0 = "a" FS "b"; print $2, "a*b" ~ /\x2a/, "ab" ~ /\052/}`,
    "bold bold\nb 1 0\n0",
  ],
  ['BEGIN { print 0x10, 0xfF + 1, 010, 08, "0x10" + 0, 1e2, 0 }', "16 256 8 8 0 100 0\n0"],
  ['BEGIN { printf "%\x27d %\x278d\\n", 1234567, 5 }', "1234567        5\n0"],
  ["BEGIN { print 1 / 2; print 1 / 0 }", "0.5\nawk: division by zero\n2"],
  ["BEGIN { x = 5; print x % y }", "awk: division by zero\n2"],
  ["BEGIN { x = 5; x /= 0 }", "awk: division by zero\n2"],
  [
    'BEGIN { printf "100%% %s\\n", "a"; printf "%s %d\\n", "a" }',
    "100% a\nawk: there are too few values for the format %s %d\n\n2",
  ],
  [
    'BEGIN { f = "/tmp/in"; printf "a1b22c!d\\n" > f; close(f); RS = "[0-9]+"; while ((getline l < f) > 0) printf "%s ", l; RS = "!"; getline l < f; print RS }',
    "a b c!d\n !\n0",
  ],
  ['BEGIN { print PROCINFO["prec_max"] }', 'awk: PROCINFO["prec_max"] is not known here\n2'],
  [
    'BEGIN { s = "xxxy"; match(s, /x*(xy)?/); print RLENGTH, gsub(/x*(xy)?/, "-", s), s; t = "v1.5-"; print sub(/[0-9]+(\\.[0-9]+)?/, "<&>", t), t }',
    "4 1 -\n1 v<1.5>-\n0",
  ],
  [
    'BEGIN { s = "abbc"; print gsub(/b*/, "X", s), s, gensub(/b*/, "X", "g", "baa"); s = "😀"; gsub(/x*/, "-", s); print s }',
    "3 XaXcX XaXaX\n-😀-\n0",
  ],
  [
    String.raw`BEGIN { s = t = u = v = "a.b"; gsub(/\./, "\\$", s); gsub(/\./, "\\\\.", t); gsub(/\./, "\\\\\\&", u); gsub(/\./, "\\\\&", v); print s, t, u, v, gensub(/\./, "\\n\\$", 1, "a.b") }`,
    String.raw`a\$b a\\.b a\&b a\.b an$b` + "\n0",
  ],
  [
    'BEGIN { match("é foo12", /(foo)(x)?([0-9]+)/, m); print m[0, "start"], m[1, "length"], m[3, "start"], m[3, "length"], ((2, "start") in m), length(m) }',
    "3 3 6 2 0 9\n0",
  ],
  [
    'BEGIN { s = "a😀b😀c"; print length(s), substr(s, 3), substr(s, 2, 1), index(s, "b"), match(s, /😀c/), RLENGTH, split(s, p, ""), p[2]; printf "[%3s] [%.2s] [%c] [%c] [%-3c]\\n", "😀", s, "😀x", 128512, "x" }',
    "5 b😀c 😀 3 4 2 5 😀\n[  😀] [a😀] [😀] [😀] [x  ]\n0",
  ],
  [
    'BEGIN { print substr("hello", 0, 2), substr("hello", -1, 3), substr("hello", 1.9, 1.9), substr("hello", 10) "|" substr("hello", 2, -1) "|" }',
    "he hel h ||\n0",
  ],
];

test("awk gives gawk's results, or says what it does not support", async () => {
  const session = fileSession(sandbox);
  for (const [at, [program]] of PROGRAMS.entries()) session.put(`${at}.awk`, program);
  const command = `for at in {0..${PROGRAMS.length - 1}}; do awk -f $at.awk < /dev/null 2>&1; echo "$?;"; done`;
  const [, ...results] = text(await session.run("bash", { command })).split(/(?:^exit code 0\nstdout:|;)\n?/u);
  expect(results.slice(0, PROGRAMS.length)).toEqual(PROGRAMS.map(([, result]) => result));
});

test("programs of all kinds print what they print with gawk", async () => {
  const session = fileSession(sandbox);
  for (const [at, [script]] of COMPARED.entries()) {
    session.put(`${at}/script`, script);
    for (const [name, content] of Object.entries(FILES)) session.put(`${at}/${name}`, content);
  }
  const command = `for at in {0..${COMPARED.length - 1}}; do (cd $at; bash script > printed 2> errors < /dev/null); done`;
  expect(text(await session.run("bash", { command }))).toMatch(/^exit code 0/u);
  for (const [at, [script, printed]] of COMPARED.entries())
    expect.soft(session.bytes(`${at}/printed`).toString(), script).toBe(printed);
});

test("awk goes on behind a file that it cannot read", async () => {
  const session = fileSession(sandbox);
  session.put("f", "a\n");
  expect(text(await session.run("bash", { command: "awk '{ print $1 }' f missing f" }))).toBe(
    "exit code 2\nstdout:\na\na\nstderr:\nawk: cannot open file `missing' for reading: No such file or directory",
  );
});

test("awk takes escapes within brackets, and spaces, as gawk does", async () => {
  const session = fileSession(sandbox);
  session.put("f", 'a[b]c\\d-e/f.g"h\u00a0i');
  const patterns = String.raw`[\[\]] [^\]] [\/.] [\-+] [+\-] [\"] [\^\$\\] [\133-\135] [[:punct:]] \s`.split(" ");
  const command = [
    ...patterns.map((pattern) => `awk '{ gsub(/${pattern}/, "_") } 1' f`),
    String.raw`awk -F'[\\[\\]]' '{ print $2 }' f`,
  ].join("; ");
  expect(
    text(await session.run("bash", { command }))
      .split("\n")
      .slice(2),
  ).toEqual([
    'a_b_c\\d-e/f.g"h\u00a0i',
    "___]_____________",
    'a[b]c\\d-e_f_g"h\u00a0i',
    'a[b]c\\d_e/f.g"h\u00a0i',
    'a[b]c\\d_e/f.g"h\u00a0i',
    "a[b]c\\d-e/f.g_h\u00a0i",
    'a[b]c_d-e/f.g"h\u00a0i',
    'a_b_c_d-e/f.g"h\u00a0i',
    "a_b_c_d_e_f_g_h\u00a0i",
    'a[b]c\\d-e/f.g"h\u00a0i',
    "b",
  ]);
});

test("awk splits records and files as gawk does, also if RS changes meanwhile", async () => {
  const session = fileSession(sandbox);
  session.put("f", "a,b;c,d\n");
  session.put("g", "x1y22z");
  const command = [
    `awk 'BEGIN { RS = ";" } { print NR ": " $0; RS = "," }' f`,
    `awk -v RS='[0-9]+' '{ printf "%s|%s ", $0, RT } END { print NR }' g`,
    `awk 'BEGINFILE { print ARGIND, FILENAME } { n += length(RT) } ENDFILE { print FNR, n }' f v=1 g`,
    `awk -v RS= '{ print NR, NF, length(RT) }' <<< $'\\n\\na b\\n\\n\\nc\\n'`,
  ].join("; ");
  expect(text(await session.run("bash", { command }))).toBe(
    "exit code 0\nstdout:\n1: a,b\n2: c\n3: d\n\nx|1 y|22 z| 3\n1 f\n1 1\n3 g\n1 1\n1 2 3\n2 1 2",
  );
});

test("reading from a device never silently returns less than requested", async () => {
  const session = fileSession(sandbox);
  const ended = text(
    await session.run("bash", {
      command: "cat /dev/zero | head -c 100 | wc -c; cat /dev/zero | head -c 70000 | wc -c",
    }),
  );
  expect(ended).toContain("stdout:\n100\n0\n");
  expect(ended).toContain("read them with head -c COUNT FILE");
});
