import { createHash } from "node:crypto";
import { existsSync, readdirSync, utimesSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type FileSession, fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();

const hash = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");

test("output, errors and exit code are reported separately", async () => {
  const result = await fileSession(sandbox).run("bash", { command: "echo out; echo err >&2; exit 3" });
  expect(text(result)).toBe("exit code 3\nstdout:\nout\nstderr:\nerr");
  expect(result).toMatchObject({ isError: true, summary: "exit code 3", exitCode: 3 });
});

test("a script changes files, and the result names each with its hash", async () => {
  const session = fileSession(sandbox);
  session.put("old.txt", "old\n");
  session.put("gone.txt", "x");
  const result = await session.run("bash", {
    command:
      "mkdir -p a/b; printf 'x\\n' > a/b/new.txt; echo more >> old.txt; rm gone.txt; cp old.txt copy.txt; mv copy.txt a/",
  });
  expect(text(result)).toBe("exit code 0");
  expect(result.files).toEqual([
    { path: "a/b/new.txt", sha256: hash("x\n"), action: "wrote" },
    { path: "old.txt", sha256: hash("old\nmore\n"), action: "wrote" },
    { path: "gone.txt", sha256: null, action: "wrote" },
    { path: "copy.txt", sha256: null, action: "wrote" },
    { path: "a/copy.txt", sha256: hash("old\nmore\n"), action: "wrote" },
  ]);
  expect(session.bytes("a/b/new.txt").toString()).toBe("x\n");
  expect(existsSync(path.join(session.root, "gone.txt"))).toBe(false);
});

test("sizes may have units, and one above the guest's memory is refused with an explanation", async () => {
  const counted = "seq 3000 | head -c 1K | wc -c; seq 3000 | tail -c2K | wc -c; seq 3000 | head --bytes=1kB | wc -c";
  expect(text(await fileSession(sandbox).run("bash", { command: counted }))).toBe(
    "exit code 0\nstdout:\n1024\n2048\n1000",
  );
  const large = "dd if=/dev/urandom of=f bs=1M count=50; truncate -s 50M f; head -c 50M /dev/zero";
  expect(text(await fileSession(sandbox).run("bash", { command: large })).match(/at most 10 MB of \S+/gu)).toEqual([
    "at most 10 MB of /dev/urandom",
    "at most 10 MB of f",
    "at most 10 MB of /dev/zero",
  ]);
});

test("times in a zone that is not known are refused wherever they are told", async () => {
  const command =
    "export TZ=Asia/Nowhere; date; printf '%(%H)T\\n' 0; awk 'BEGIN { print strftime(\"%H\", 0) }'; date -u -d 'TZ=\"Asia/Nowhere\" 2024-01-01'; jq -n '0 | localtime'; echo > g; ls -l g; touch -d 10:00 f; TZ=UTC date -d @0 +%H";
  const ended = text(await fileSession(sandbox).run("bash", { command }));
  expect(ended).toMatch(/^exit code 0\nstdout:\n00\nstderr:\n/);
  expect(ended.match(/no time zone Asia\/Nowhere is known here/g)).toHaveLength(7);
});

test("a file written by bash can be edited without reading it first", async () => {
  const session = fileSession(sandbox);
  await session.run("bash", { command: "echo one > f.txt" });
  const edited = await session.run("edit", { path: "f.txt", old_string: "one", new_string: "two" });
  expect(edited.isError).toBe(false);
  expect(session.bytes("f.txt").toString()).toBe("two\n");
});

test("binary files survive pipes and redirections", async () => {
  const session = fileSession(sandbox);
  const bytes = Uint8Array.from({ length: 1_024 }, (_, index) => index % 256);
  session.put("in.bin", bytes);
  const result = await session.run("bash", {
    command:
      "cat in.bin | tee a.bin > b.bin; gzip -c in.bin | gunzip > c.bin; base64 in.bin | base64 -d > d.bin; sha256sum in.bin",
  });
  expect(text(result)).toContain(hash(bytes));
  for (const name of ["a.bin", "b.bin", "c.bin", "d.bin"]) expect([...session.bytes(name)], name).toEqual([...bytes]);
});

test("text commands leave bytes that are not UTF-8 unchanged", async () => {
  const session = fileSession(sandbox);
  const legacy = (text: string) => Buffer.from(text, "latin1");
  session.put("in.php", legacy("// caf\xe9\nb = 1\na = 1\n"));
  const command = [
    "cp in.php sed.php; sed -i 's/b = 1/b = 2/' sed.php",
    "grep -v zzz in.php > grep.php; sort in.php > sort.php; awk '{print}' in.php | cat > awk.php",
    "sort in.php | uniq | rev | rev > pipe.php; sed 's/b/c/' < in.php; grep caf in.php",
  ].join("\n");
  const result = await session.run("bash", { command });
  expect(session.bytes("sed.php")).toEqual(legacy("// caf\xe9\nb = 2\na = 1\n"));
  for (const same of ["grep.php", "awk.php"]) expect(session.bytes(same), same).toEqual(session.bytes("in.php"));
  for (const sorted of ["sort.php", "pipe.php"])
    expect(session.bytes(sorted), sorted).toEqual(legacy("// caf\xe9\na = 1\nb = 1\n"));
  expect(text(result)).toContain("// caf\ufffd\nc = 1");
});

// The size of a directory itself differs between file systems, so this cannot be compared with the system's du.
test("du counts files and directories, each directory as one block", async () => {
  const session = fileSession(sandbox);
  session.put("code/lib/util.c", "c");
  session.put("code/main.c", "c");
  const result = await session.run("bash", { command: "du code; du -sh code; du -S code; du -d0 -a code" });
  expect(text(result)).toBe("exit code 0\nstdout:\n8\tcode/lib\n16\tcode\n16K\tcode\n8\tcode/lib\n8\tcode\n16\tcode");
});

/** Runs commands as the program does, passing each the tool state of the one before. */
async function inTurn(session: FileSession, commands: readonly string[]): Promise<string[]> {
  const texts: string[] = [];
  let toolState: string | null = null;
  for (const command of commands) {
    const { signal } = new AbortController();
    const result = await session.tool("bash").execute({ command }, { ...session.context, toolState }, signal);
    toolState = result.toolState ?? toolState;
    texts.push(text(result));
  }
  return texts;
}

test("the working directory and variables persist between calls", async () => {
  const session = fileSession(sandbox);
  const [, second, third] = await inTurn(session, [
    "mkdir -p a/b; cd a/b; export COLOUR='dark red'; plain=1",
    'pwd; echo "$COLOUR $plain"; echo x > here.txt; cd ..',
    "ls b; cd /workspace",
  ]);
  expect(second).toBe("exit code 0, in /workspace/a\nstdout:\n/workspace/a/b\ndark red 1");
  expect(third).toBe("exit code 0\nstdout:\nhere.txt");
});

test("a failed call does not change the state of the next one", async () => {
  const [, second, third] = await inTurn(fileSession(sandbox), [
    "mkdir d; cd d; A=1",
    "echo 'unterminated",
    'pwd; echo "$A"',
  ]);
  expect(second).toContain("exit code 2");
  expect(third).toContain("/workspace/d\n1");
});

test("a deleted working directory is replaced by the root, and the model is told", async () => {
  const [, second] = await inTurn(fileSession(sandbox), ["mkdir -p f/g; cd f/g; rm -r /workspace/f", "pwd"]);
  expect(second).toBe(
    "exit code 0\nstdout:\n/workspace\n[/workspace/f/g no longer exists; the command ran in /workspace.]",
  );
});

test("variables that are too large to persist are named", async () => {
  const [first, second] = await inTurn(fileSession(sandbox), [
    "big=$(seq -s, 10000); small=1",
    'echo "$small ${#big}"',
  ]);
  expect(first).toContain("[The variable big is too large to be kept for the next call.]");
  expect(second).toContain("1 0");
});

const missing = [
  {
    command: "curl https://example.com",
    says: "curl is not available: there is no network in the sandbox; use the web_fetch tool.",
  },
  { command: "wget -q x 2>/dev/null || exit 1", says: "use the web_fetch tool" },
  { command: "git status", says: "git is not available: use the git tool" },
  {
    command: "python3 -c 'print(1)'",
    says: "python3 is not available: there are no other interpreters; use the js_exec tool",
  },
  {
    command: "printf '#!/usr/bin/env -S python3 -u\\nimport os\\n' > a.py; chmod +x a.py; ./a.py --all",
    says: "python3 is not available: there are no other interpreters",
  },
  {
    command: "printf '#!/usr/local/bin/ruby\\nputs 1\\n' > a.rb; chmod +x a.rb; ./a.rb",
    says: "ruby is not available: there are no other interpreters",
  },
  { command: "/usr/bin/perl -e 1", says: "perl is not available: there are no other interpreters" },
  { command: "node -e 1", says: "node is not available: use the js_exec tool" },
  { command: "npm install x", says: "npm is not available: no packages can be installed" },
  { command: "apt-get install x; echo go on", says: "apt-get is not available" },
  { command: "make", says: "make is not available: no native programs run" },
  { command: "xz a.tar", says: "xz is not available: the only archive tools are tar, gzip" },
  { command: "echo x | frobnicate", says: "frobnicate is not available in the sandbox." },
  { command: "ln -s a b", says: "Links cannot be made in the sandbox; copy the file with cp." },
];

test.each(missing)("a missing command is reported with an alternative: $command", async ({ command, says }) => {
  expect(text(await fileSession(sandbox).run("bash", { command }))).toContain(says);
});

test("`command -v` fails for missing commands and works for existing ones", async () => {
  const command = "command -v curl || echo none; command -v grep > /dev/null && echo grep";
  expect(text(await fileSession(sandbox).run("bash", { command }))).toBe("exit code 0\nstdout:\nnone\ngrep");
});

test("of a long output the end is shown, and the whole is in a named file", async () => {
  const session = fileSession(sandbox);
  const result = await session.run("bash", { command: "seq 20000; echo last" });
  const shown = text(result);
  const [, file = ""] =
    /^\[20001 lines, of which the last are shown; the whole output is in (\.deckhand-output\/\w+-stdout\.txt)\]$/m.exec(
      shown,
    ) ?? [];
  expect(shown).toMatch(/\n20000\nlast$/);
  expect(shown.length).toBeLessThan(21_000);
  expect(session.bytes(file).toString()).toBe(
    `${Array.from({ length: 20_000 }, (_, at) => at + 1).join("\n")}\nlast\n`,
  );
  expect(session.bytes(".deckhand-output/.gitignore").toString()).toBe("*\n");
  expect(text(await session.run("read", { path: file, offset: 20_001 }))).toBe("20001\tlast");
  expect(text(await session.run("grep", { pattern: "last" }))).toContain("No match");
});

test("only the newest output files are kept", async () => {
  const session = fileSession(sandbox);
  const earlier = Array.from({ length: 20 }, (_, call) => `.deckhand-output/call${call}-stdout.txt`);
  for (const [call, file] of earlier.entries()) {
    session.put(file, "x");
    utimesSync(path.join(session.root, file), 1_000 + call, 1_000 + call);
  }
  await session.run("bash", { command: "printf %030000d 1" });
  const kept = readdirSync(path.join(session.root, ".deckhand-output"));
  expect(kept).toHaveLength(21);
  expect(kept).toEqual(expect.arrayContaining(earlier.slice(1).map((file) => path.basename(file))));
});

const protectedFiles = [
  "echo x > AGENTS.md",
  "echo x >> sub/CLAUDE.md",
  "mkdir .claude",
  "mkdir -p .agents/skills",
  "mkdir extensions",
  "cp f.txt AGENTS.md",
  "mv f.txt claude.md",
  "mv dir extensions",
  "sed -i s/a/b/ AGENTS.md",
  "rm AGENTS.md",
  "rm -r holder",
  "mv holder elsewhere",
  "tee AGENTS.md < f.txt",
  "touch .agents",
  "cd holder && echo x > AGENTS.md",
];

test.each(protectedFiles)("bash cannot change a file with instructions: %s", async (command) => {
  const session = fileSession(sandbox);
  session.put("AGENTS.md", "rules");
  session.put("holder/AGENTS.md", "more rules");
  session.put("f.txt", "a");
  session.put("dir/x.md", "x");
  session.put("sub/y.txt", "y");
  const result = await session.run("bash", { command });
  expect(text(result)).toMatch(
    /\[.*instructs agents or machines, or the settings guard it, so a person must decide on changes to it.*write tool.*\]/,
  );
  expect(session.bytes("AGENTS.md").toString()).toBe("rules");
  expect(session.bytes("holder/AGENTS.md").toString()).toBe("more rules");
  expect(readdirSync(session.root).sort()).toEqual(["AGENTS.md", "dir", "f.txt", "holder", "sub"]);
});

test("a refused redirection fails its command, and the script continues", async () => {
  const result = await fileSession(sandbox).run("bash", { command: "echo x > AGENTS.md || echo refused; echo on" });
  expect(text(result)).toContain("exit code 0\nstdout:\nrefused\non\n");
});

test("the card shows the command, and the grant covers exactly that command", async () => {
  const session = fileSession(sandbox);
  const command = "find logs -name '*.log' -delete";
  expect(session.tool("bash").grant({ command })).toEqual({ key: command, label: "this command" });
  expect(await session.tool("bash").preview?.({ command }, session.context, new AbortController().signal)).toEqual({
    facts: [],
    previewDigest: expect.stringMatching(/^[0-9a-f]{64}$/u),
    question: "Run a command?",
    language: "sh",
    text: command,
    reach: "may change files in the sandbox of this channel · no network · 60 s · 256 MB",
  });
});
