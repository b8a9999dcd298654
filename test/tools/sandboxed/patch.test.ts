import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();

/** Scripts, and the lines that GNU patch 2.7 and envsubst 0.21 print, which not every system has. */
const SCRIPTS: readonly (readonly [script: string, lines: readonly string[]])[] = [
  [
    `seq 20 > f; sed 's/^5$/FIVE/; s/^15$/FIFTEEN/' f > g; diff -u f g > p; { echo new; cat f; } > h; patch h p; sed -n 6p h; sed 's/^4$/four/' f > k; patch -F0 k < p; tail -n +3 k.rej | head -2; sed 's/^[34]$/x&/' f > m; patch m p; sed -n 5p m; ls`,
    [
      "patching file h",
      "Hunk #1 succeeded at 3 (offset 1 line).",
      "Hunk #2 succeeded at 13 (offset 1 line).",
      "FIVE",
      "patching file k",
      "Hunk #1 FAILED at 2.",
      "1 out of 2 hunks FAILED -- saving rejects to file k.rej",
      "@@ -2,7 +2,7 @@",
      " 2",
      "patching file m",
      "Hunk #1 FAILED at 2.",
      "1 out of 2 hunks FAILED -- saving rejects to file m.rej",
      "5",
      "f",
      "g",
      "h",
      "h.orig",
      "k",
      "k.orig",
      "k.rej",
      "m",
      "m.orig",
      "m.rej",
      "p",
    ],
  ],
  [
    `mkdir -p a/src b/src; printf 'x\\ny\\nz\\n' > a/src/t; printf 'x\\nY\\nz\\n' > b/src/t; echo new > b/src/n; echo old > a/src/o; diff -ruN a b > p; cp -r a w; cd w; patch -p1 --dry-run < ../p; patch -p1 < ../p; cat src/*; ls src; patch -p1 -R -i ../p; cat src/*; ls src`,
    [
      "checking file src/n",
      "checking file src/o",
      "checking file src/t",
      "patching file src/n",
      "patching file src/o",
      "patching file src/t",
      "new",
      "x",
      "Y",
      "z",
      "n",
      "t",
      "patching file src/n",
      "patching file src/o",
      "patching file src/t",
      "old",
      "x",
      "y",
      "z",
      "o",
      "t",
    ],
  ],
  [
    `printf 'a\\nb\\nc' > f; printf 'a\\nB\\nc\\nd' > g; diff -u f g > p; patch f p; tail -c 3 f; patch -N f p; echo $?; patch -R f < p; tail -c 3 f; echo garbage | patch -p1 2> /dev/null; echo $?`,
    [
      "patching file f",
      "c",
      "dpatching file f",
      "Reversed (or previously applied) patch detected!  Skipping patch.",
      "1 out of 1 hunk ignored -- saving rejects to file f.rej",
      "1",
      "patching file f",
      "b",
      "c2",
    ],
  ],
  [
    `export NAME=Ann AGE=5; u=local; envsubst <<< 'Hi $NAME \${AGE} $u \${u}x $NAME_ $ $1 \${NAME:-x}'; envsubst '$NAME' <<< '$NAME $AGE'; envsubst -v '$A \${B}'; echo 'é $NAME' | envsubst`,
    ["Hi Ann 5  x  $ $1 ${NAME:-x}", "Ann $AGE", "A", "B", "é Ann"],
  ],
];

test.each(SCRIPTS)("patch and envsubst print what the originals print: %s", async (command, lines) => {
  const result = await fileSession(sandbox).run("bash", { command: `(${command})` });
  expect(text(result)).toBe(["exit code 0", "stdout:", ...lines].join("\n"));
});

test("patch refuses other diffs than unified ones", async () => {
  const session = fileSession(sandbox);
  session.put("f", "a\n");
  const result = await session.run("bash", { command: "printf '1c1\\n< a\\n---\\n> b\\n' | patch f" });
  expect(text(result)).toBe("exit code 2\nstderr:\npatch: only unified diffs are known here");
  expect(session.bytes("f").toString()).toBe("a\n");
});
