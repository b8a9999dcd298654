import { rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { CallPreview } from "../../../src/core/tool.ts";
import { type FileSession, fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();
const { signal } = new AbortController();

const FILES = {
  "s.sh": "echo script\n",
  "outer.sh": "echo outer\n. ./lib/inner.sh\n",
  "lib/inner.sh": "echo inner\n",
  "lib/s.sh": "echo other\n",
  "indirect.sh": '. "$1"\n',
  "sum.awk": "{ n += $1 } END { print n }\n",
  "strip.sed": "s/a/b/\n",
  "pick.jq": ".a\n",
  "data.txt": "1\n2\n",
};

function withFiles(state?: { readonly cwd: string; readonly env: Readonly<Record<string, string>> }): FileSession {
  const context = state === undefined ? {} : { toolState: JSON.stringify(state) };
  const session = fileSession(sandbox, { context });
  for (const [file, content] of Object.entries(FILES)) session.put(file, content);
  return session;
}

async function look(session: FileSession, command: string): Promise<CallPreview> {
  const seen = await session.tool("bash").preview?.({ command }, session.context, signal);
  if (seen === undefined || "refused" in seen) throw new Error("there is no preview");
  return seen;
}

const executed = ({ facts = [] }: CallPreview): string[] =>
  facts
    .flatMap((fact) => (fact.startsWith("executes ") ? [...fact.matchAll(/([\w./]+) \((?:sha256|missing)/gu)] : []))
    .map(([, file = ""]) => file)
    .sort();

test.each<[command: string, files: readonly string[]]>([
  ["echo hello", []],
  ["cat s.sh | grep echo", []],
  ["sort data.txt > out.txt", []],
  ["bash s.sh", ["s.sh"]],
  ["sh -eu ./s.sh data.txt", ["s.sh"]],
  ["bash /workspace/s.sh", ["s.sh"]],
  ["'bash' \"s.sh\"", ["s.sh"]],
  ["chmod +x s.sh && ./s.sh", ["s.sh"]],
  ["source s.sh", ["s.sh"]],
  [". ./s.sh", ["s.sh"]],
  ["bash missing.sh", ["missing.sh"]],
  ["bash outer.sh", ["lib/inner.sh", "outer.sh"]],
  ["cd lib && bash s.sh", ["lib/s.sh", "s.sh"]],
  ["(cd lib; ./s.sh)", ["lib/s.sh", "s.sh"]],
  ["bash < s.sh", ["s.sh"]],
  ["bash <<'EOF'\n. ./s.sh\nEOF", ["s.sh"]],
  ["bash -c '. ./s.sh'", ["s.sh"]],
  ["eval '. ./s.sh'", ["s.sh"]],
  ["trap 'bash s.sh' EXIT", ["s.sh"]],
  ["declare -a found=($(bash s.sh))", ["s.sh"]],
  ["f() { local found=(x $(. ./s.sh)); }; f", ["s.sh"]],
  ["run=(bash s.sh); bash s.sh &", ["s.sh"]],
  ["f() { bash s.sh; }; f", ["s.sh"]],
  ["echo $(bash s.sh)", ["s.sh"]],
  ["if true; then bash s.sh; fi", ["s.sh"]],
  ["awk -f sum.awk data.txt", ["sum.awk"]],
  ["awk '{ print $1 }' data.txt", []],
  [`awk -F'|' '/a|"b/ || $1 ~ /[/|]x/ { print $1 / 2 "|" }' data.txt`, []],
  ["sed -n -f strip.sed data.txt", ["strip.sed"]],
  ["sed -nf strip.sed data.txt", ["strip.sed"]],
  ["jq -f pick.jq data.txt", ["pick.jq"]],
  ["timeout 5 bash s.sh", ["s.sh"]],
  ["env A=1 bash s.sh", ["s.sh"]],
  ["find . -name '*.txt' -exec wc -l {} +", []],
  ["ls | xargs wc -l", []],
  ['d=lib; find "$d" -name "*.sh"; rg echo "$d"', []],
  ["n=3; a[$n]=1; echo $((a[n] + $((1 + 2))))", []],
  ["n=3; echo $((n + 1))", []],
  ["wc -l $(ls)", []],
  ['for f in *.txt; do wc -l "$f"; done', []],
  ["awk '{ while ((getline line < \"data.txt\") > 0) n++ }' data.txt", []],
])("the scripts that %j executes are known before it runs", async (command, files) => {
  const seen = await look(withFiles(), command);
  expect(executed(seen)).toEqual(files);
  expect(seen.isRepeatable).toBeUndefined();
});

test.each([
  "cat s.sh | bash",
  'F=s.sh; bash "$F"',
  "$(cat data.txt)",
  'eval "$(cat s.sh)"',
  'bash -c "$(cat s.sh)"',
  "bash indirect.sh data.txt",
  "for f in *.sh; do bash $f; done",
  "./*.sh",
  "ls *.sh | xargs -n1 bash",
  "find . -name '*.sh' -exec bash {} ;",
  "find . -name '*.sh' -exec {} ;",
  "cp data.txt s.sh; bash s.sh",
  "cat data.txt > s.sh && bash s.sh",
  "sed -i s/a/b/ s.sh; bash s.sh",
  "tee s.sh < data.txt; ./s.sh",
  "PATH=/workspace/lib; s.sh",
  "cp s.sh /bin/cat; cat data.txt",
  "alias ls='bash s.sh'; ls",
  'cd "$D" && bash s.sh',
  'awk "$(cat sum.awk)" data.txt',
  "jq -L lib . data.txt",
  "bash s.sh && (",
  `awk 'BEGIN { "bash s.sh" | getline line; print line }'`,
  `awk '{ print | "sh" }' data.txt`,
  `awk '/"/ { x = 4 / 2; printf "%s", $1 | "sh" } # "' data.txt`,
  `awk 'BEGIN { system("bash s.sh") }'`,
  "dd if=data.txt of=s.sh; bash s.sh",
  'run=(bash s.sh); "${run[@]}"',
  ". /dev/stdin < data.txt",
  "echo . ./s.sh | bash -s",
  "PS4='$(bash s.sh)'; set -x; ls",
  "shopt -s expand_aliases\nls",
  "rg --pre ./s.sh x",
  "rg $(cat data.txt)",
  "find . $(cat data.txt)",
  "((a[$(bash s.sh)]))",
  "a[`bash s.sh`]=1",
  "test -v 'a[$(bash s.sh)]'",
  "echo ${d:$(bash s.sh)}",
  "for ((i=$(bash s.sh); i < 1; i++)); do :; done",
  "declare 'a[$(bash s.sh)]=1'",
  "declare -n r='a[$(bash s.sh)]'; echo $r",
  'x=$(<data.txt); printf -v "$x" y',
  // A text such as a[$(bash s.sh)] runs where a number is expected.
  "n=$(cat data.txt); echo $((n + 1))",
  "read n < data.txt; ((n++))",
  "n=$(cat data.txt); [[ $n -eq 1 ]]",
  "n=$(cat data.txt); echo ${n:$n:1}",
  "n=$(cat data.txt); list[$n]=1",
  "n=$(cat data.txt); echo ${!n}",
  "for n in *; do let m=n; done",
  "n=$(cat data.txt); declare -i m; m=$n",
  'n=$(cat data.txt); unset "list[$n]"',
  'n=$(cat data.txt); [ -v "$n" ]',
])("the scripts that %j executes are unknown before it runs, so its approval is not remembered", async (command) => {
  const seen = await look(withFiles(), command);
  expect(seen.isRepeatable).toBe(false);
  expect(seen.facts?.join()).toContain("known only when it runs");
});

test("the digest changes with the directory, a referenced variable, or a script", async () => {
  const digestOf = async (session: FileSession, command: string) => (await look(session, command)).previewDigest;
  const clean = await digestOf(withFiles(), "rm -f *.txt");
  expect(await digestOf(withFiles(), "rm -f *.txt")).toBe(clean);
  expect(await digestOf(withFiles({ cwd: "lib", env: {} }), "rm -f *.txt")).not.toBe(clean);
  expect(await digestOf(withFiles({ cwd: "", env: { OTHER: "x" } }), "rm -f *.txt")).toBe(clean);

  const named = await digestOf(withFiles({ cwd: "", env: { DIR: "a" } }), 'rm -r "$DIR"');
  expect(await digestOf(withFiles({ cwd: "", env: { DIR: "b" } }), 'rm -r "$DIR"')).not.toBe(named);
  expect(await digestOf(withFiles(), 'rm -r "$DIR"')).not.toBe(named);

  const session = withFiles();
  const before = await digestOf(session, "bash outer.sh");
  session.put("data.txt", "other");
  expect(await digestOf(session, "bash outer.sh")).toBe(before);
  session.put("lib/inner.sh", "echo changed\n");
  expect(await digestOf(session, "bash outer.sh")).not.toBe(before);
});

test.each([
  { env: { PS4: "$(bash s.sh)" }, command: "set -x; ls" },
  { env: { BASH_ALIAS_ls: "bash s.sh" }, command: "ls" },
])("commands run by the variables of $env are unknown before the run", async ({ env, command }) => {
  const seen = await look(withFiles({ cwd: "", env }), command);
  expect(seen.isRepeatable).toBe(false);
});

test("the approval card names the directory, the variables and the scripts", async () => {
  const session = withFiles({ cwd: "lib", env: { DIR: "a\n**b**", OTHER: "x" } });
  const { facts } = await look(session, 'bash s.sh "$DIR"');
  expect(facts).toEqual([
    "in /workspace/lib",
    String.raw`with DIR="a\n**b**"`,
    expect.stringMatching(/^executes lib\/s\.sh \(sha256 [0-9a-f]{12}\)$/u),
  ]);
});

async function runAs(session: FileSession, previewDigest: string | undefined, command: string) {
  return session
    .tool("bash")
    .execute({ command }, { ...session.context, ...(previewDigest && { previewDigest }) }, signal);
}

test("a script that was changed, added or removed since the approval is not executed", async () => {
  const session = withFiles();
  const { previewDigest } = await look(session, "bash s.sh");
  expect(text(await runAs(session, previewDigest, "bash s.sh"))).toContain("script");
  session.put("s.sh", "echo evil > evil.txt\n");
  const refused = await runAs(session, previewDigest, "bash s.sh");
  expect(refused.isError).toBe(true);
  expect(text(refused)).toMatch(/^Not run: .* has changed since it was allowed\. Call again/u);
  expect(() => session.bytes("evil.txt")).toThrow("ENOENT");
  rmSync(path.join(session.root, "s.sh"));
  expect(text(await runAs(session, previewDigest, "bash s.sh"))).toContain("Not run");
});

test("a script that the command itself changes during its run is not executed under the approval", async () => {
  const session = withFiles();
  session.put("other/s.sh", "echo evil > evil.txt\n");
  const command = "cp -r other/. . ; bash s.sh; echo after";
  const { previewDigest } = await look(session, command);
  const result = await runAs(session, previewDigest, command);
  expect(() => session.bytes("evil.txt")).toThrow("ENOENT");
  expect(text(result)).toContain("/workspace/s.sh has changed since this was allowed");
  expect(text(result)).toContain("after");
});
