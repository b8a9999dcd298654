import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();

const session = () =>
  fileSession(sandbox, { limits: { shell: { memoryMb: 96, timeoutMs: 20_000 }, programs: { timeoutMs: 20_000 } } });

/** Timeout in seconds for programs that ignore signals, which use up this time and the grace period. */
const SHORT = 0.3;

/** Each command may fail in its own way, but must end within its time and leave the sandbox working. */
const greedy: readonly { readonly name: string; readonly command: string; readonly timeout?: number }[] = [
  { name: "memory doubled without end", command: "x=aaaaaaaa; while :; do x=$x$x; done; echo REACHED" },
  { name: "an array doubled without end", command: 'a=(x y z); while :; do a+=("${a[@]}"); done' },
  {
    name: "braces that expand for ever",
    command: "echo {1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9}{1..9} > /dev/null; echo REACHED",
  },
  { name: "recursion without end", command: "f() { f; }; f; echo REACHED" },
  {
    name: "a bomb of forks",
    command: ":(){ :|:& }; :; echo DONE | cat > /dev/null; for i in 1 2 3; do :; done; false",
  },
  {
    name: "awk without end",
    command: "awk 'BEGIN { while (1) x = x \"a\" }'; [ $? = 0 ] && echo REACHED",
    timeout: SHORT,
  },
  {
    name: "sed without end",
    command: "echo a | sed ':a;s/^/x/;ba'; [ $? = 0 ] && echo REACHED",
    timeout: SHORT,
  },
  { name: "jq without end", command: "jq -n 'def f: 1 + f; f'; [ $? = 0 ] && echo REACHED" },
  {
    name: "a file that feeds itself",
    command: "echo a > f; for i in {1..40}; do cat f f > g; mv g f; done; echo REACHED",
  },
  { name: "deep nesting", command: `${"(".repeat(5_000)}echo REACHED${")".repeat(5_000)}` },
  {
    name: "an archive that unpacks to much",
    command:
      "head -c 60000000 /dev/null; f=x; for i in {1..24}; do f=$f$f; done; echo $f | gzip -9 | gzip -9 > b; zcat b | zcat | wc -c; echo REACHED",
  },
];

test.each(greedy)("bash stays within its limits for $name", async ({ command, timeout = 1 }) => {
  const one = session();
  const result = await one.run("bash", { command, timeout });
  expect(result.isError).toBe(true);
  expect(text(result)).not.toMatch(/^REACHED$/m);
  expect(text(await one.run("bash", { command: "echo fine" }))).toBe("exit code 0\nstdout:\nfine");
});

test("endless commands end at the step limit", async () => {
  const command = "echo begun; while ((1)); do ((1)); done";
  const result = await fileSession(sandbox).run("bash", { command, timeout: 600 });
  expect(text(result)).toMatch(/too many (commands|iterations)/);
  expect(result.isError).toBe(true);
});

const backtracking = [
  {
    tool: "bash",
    input: {
      command: `echo ${"a".repeat(40)}b | grep -E '^(a+)+$'; echo ${"a".repeat(40)}b | sed -E 's/^(a|aa)+$/x/'`,
      timeout: SHORT,
    },
  },
  {
    tool: "bash",
    input: {
      command: `[[ ${"a".repeat(40)}b =~ ^(a+)+$ ]]; awk 'BEGIN { print match("${"a".repeat(40)}b", /^(a+)+$/) }'`,
      timeout: SHORT,
    },
  },
  { tool: "js_exec", input: { code: `/^(a+)+$/.test("${"a".repeat(40)}b")`, timeout: SHORT } },
] as const;

test.each(backtracking)(
  "a catastrophically backtracking expression ends by itself or at the time limit ($tool)",
  async ({ tool, input }) => {
    const result = await session().run(tool, input);
    if (result.isError) expect(text(result)).toMatch(/Stopped after|exit code 1/);
  },
);

test("excessive output is cut at a limit, and what is shown is bounded", async () => {
  const result = await session().run("bash", { command: "while :; do printf '%01000d\\n' 1; done", timeout: 1 });
  expect(result.isError).toBe(true);
  expect(text(result).length).toBeLessThan(45_000);
});

test("a program that writes endlessly cannot fill the disk", async () => {
  // Writes 256 MB however slow the disk is; copying is the fastest way.
  const one = fileSession(sandbox, { limits: { programs: { timeoutMs: 100_000 } } });
  const result = await one.run("js_exec", {
    code: `
      const block = "x".repeat(4_194_304);
      fs.writeFileSync("a.txt", block);
      for (let n = 0; n < 55; n++) fs.copyFileSync("a.txt", "b.txt");
      for (;;) fs.appendFileSync("big.txt", block);`,
  });
  expect(text(result)).toContain("A call can write at most");
  expect(one.bytes("big.txt").length).toBeLessThanOrEqual(268_435_456);
});

test("after a guest ran out of memory the next call works", async () => {
  const one = session();
  for (let round = 0; round < 2; round++) {
    const failed = await one.run("js_exec", {
      code: "const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)",
    });
    expect(failed.isError).toBe(true);
    expect(text(await one.run("js_exec", { code: "'fine'" }))).toBe("=> fine");
  }
});

test.runIf(process.platform === "linux")(
  "48 calls leak neither descriptors, threads nor memory",
  async () => {
    const one = session();
    one.put("d/f.txt", "x\n");
    const of = (what: string): string => `/proc/${sandbox.pid()}/${what}`;
    const count = () => ({ fd: readdirSync(of("fd")).length, task: readdirSync(of("task")).length });
    const megabytes = (): number =>
      Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(of("status"), "utf8"))?.[1]) / 1_024;
    const commands = [
      ["bash", { command: "cat d/f.txt | sort > s.txt; rm s.txt" }],
      ["js_exec", { code: "fs.readFileSync('d/f.txt', 'utf8')" }],
      ["bash", { command: "cat absent" }],
      ["js_exec", { code: "await new Promise((r) => setTimeout(r, 0)); throw new Error('x')" }],
    ] as const;
    const rounds = async (number: number): Promise<void> => {
      for (let round = 0; round < number; round++) for (const [tool, input] of commands) await one.run(tool, input);
    };
    await rounds(8);
    const before = { ...count(), megabytes: megabytes() };
    // A guest takes 3 or 16 MB: if calls left theirs behind, these would more than double what there is.
    await rounds(12);
    // A call's resources are released a moment after its answer.
    await expect.poll(count).toEqual({ fd: before.fd, task: before.task });
    expect(megabytes() / before.megabytes).toBeLessThan(1.5);
  },
  300_000,
);
