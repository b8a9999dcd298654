import { createHash } from "node:crypto";
import { existsSync, truncateSync } from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { CancelSignal, SuspendSignal } from "../../../src/core/protocol/signals.ts";
import { fileSession, text, useSandbox } from "../file-session.ts";

/** Tests of how scripts end that run for too long or are stopped. */

const sandbox = useSandbox();

// The first call may start the sandbox's process, which takes longer than the limits below allow for.
beforeEach(async () => {
  await fileSession(sandbox).run("bash", { command: "true" });
});

const hash = (content: string): string => createHash("sha256").update(content).digest("hex");

test("a script is stopped at its time limit, and its changes are reported", async () => {
  const session = fileSession(sandbox);
  const result = await session.run("bash", { command: "echo a > f.txt; while :; do :; done", timeout: 0.5 });
  expect(result).toMatchObject({ isError: true, summary: "stopped after 0.5 s" });
  expect(result.files).toEqual([{ path: "f.txt", sha256: hash("a\n"), action: "wrote" }]);
});

test("a sleeping script is stopped at its time limit, too", async () => {
  const result = await fileSession(sandbox).run("bash", { command: "sleep 100", timeout: 0.3 });
  expect(result).toMatchObject({ isError: true, summary: "stopped after 0.3 s" });
});

const STOPPED =
  "Stopped after 1 s: the command took too long. Anything it had already changed remains. Do less per call, or set a longer timeout.";

test.each([
  { script: "echo a; echo b >&2; sleep 100", printed: ["stdout up to then:", "a", "stderr up to then:", "b"] },
  { script: "for i in 1 2; do echo $i; done; while :; do :; done", printed: ["stdout up to then:", "1", "2"] },
  { script: "say() { echo in; sleep 100; }; echo out; say", printed: ["stdout up to then:", "out", "in"] },
  { script: "echo x; (echo y; sleep 100)", printed: ["stdout up to then:", "x", "y"] },
  { script: "{ echo ä; sleep 100; } 2>&1", printed: ["stdout up to then:", "ä"] },
  { script: "if true; then echo c; sleep 100; fi; echo never", printed: ["stdout up to then:", "c"] },
  {
    script: "for i in 1 2 3; do echo $i; test $i = 2 && sleep 100; done | cat",
    printed: ["stdout up to then:", "1", "2"],
  },
  { script: "echo 'echo ü; sleep 100' > s.sh; bash -c 'bash s.sh; echo no'", printed: ["stdout up to then:", "ü"] },
  { script: "timeout 0.1 sleep 1; echo after; sleep 100", printed: ["stdout up to then:", "after"] },
  { script: "timeout 100 bash -c 'echo t; sleep 100'", printed: ["stdout up to then:", "t"] },
  {
    script: "while n=$((n + 1)); test $n -lt 3 || sleep 100; do echo $n; done",
    printed: ["stdout up to then:", "1", "2"],
  },
  {
    script: "until n=$((n + 1)); test $n = 3 && sleep 100; do echo $n; done",
    printed: ["stdout up to then:", "1", "2"],
  },
  { script: "if echo e; false; then :; elif sleep 100; then :; fi", printed: ["stdout up to then:", "e"] },
  { script: "sleep 100", printed: [] },
  { script: "echo s; seq -f %.17g 1000000; echo no", printed: ["stdout up to then:", "s"] },
  { script: "echo a; awk 'BEGIN { print 1; while (1) i++ }'", printed: ["stdout up to then:", "a", "1"] },
  {
    script: "echo b; seq 9 | awk '{ for (;;) n++ } END { print n }'; echo no",
    printed: ["stdout up to then:", "b"],
  },
])("output printed before the time limit is kept: $script", async ({ script, printed }) => {
  const result = await fileSession(sandbox).run("bash", { command: script, timeout: 1 });
  expect(result).toMatchObject({ isError: true, summary: "stopped after 1 s" });
  expect(text(result).split("\n")).toEqual([STOPPED, ...printed]);
});

test.each([
  { script: "while n=$((n + 1)); test $n -lt 3 || exit 4; do echo $n; done", says: "exit code 4\nstdout:\n1\n2" },
  { script: "until n=$((n + 1)); test $n = 3 && exit 4; do echo $n; done", says: "exit code 4\nstdout:\n1\n2" },
  { script: "if echo 1; false; then :; elif exit 4; then :; fi", says: "exit code 4\nstdout:\n1" },
  {
    script: "f() { while n=$((n + 1)); test $n -lt 3 || return 4; do echo $n; done; }; f || echo $?",
    says: "exit code 0\nstdout:\n1\n2\n4",
  },
])("output printed before a condition ends a script is kept: $script", async ({ script, says }) => {
  expect(text(await fileSession(sandbox).run("bash", { command: script }))).toBe(says);
});

test("lack of memory within a function ends the script, which says so", async () => {
  const session = fileSession(sandbox, { limits: { shell: { memoryMb: 96, timeoutMs: 60_000 } } });
  const command =
    "f() { local x; echo begun; x=$(head -c 2000000 /dev/zero | tr '\\0' a); x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x; }; f; echo never";
  expect(text(await session.run("bash", { command }))).toBe(
    "exit code 126\nstdout:\nbegun\nstderr:\nbash: out of memory",
  );
});

test("long output printed before a stop is saved in a file, like any output", async () => {
  const session = fileSession(sandbox);
  const result = await session.run("bash", { command: "seq 6000; sleep 100", timeout: 2 });
  const file =
    /\[6000 lines, of which the last are shown; the whole output is in (\S+)\]/.exec(text(result))?.[1] ?? "";
  expect(session.bytes(file).toString().split("\n")).toHaveLength(6_001);
});

test("a stop ends a script at once, and its changes are reported", async () => {
  const session = fileSession(sandbox);
  await session.run("bash", { command: "true" });
  session.put("huge", "");
  truncateSync(path.join(session.root, "huge"), 1e12);
  const abort = new AbortController();
  const command = "echo a > f.txt; echo > g; rm g; mkdir g; echo >> huge; echo > begun; sleep 100";
  const ended = session.run("bash", { command }, abort.signal);
  await expect.poll(() => existsSync(path.join(session.root, "begun"))).toBe(true);
  const stopped = performance.now();
  abort.abort(new CancelSignal({ by: "person", name: "@ana" }));
  const result = await ended;
  expect(performance.now() - stopped).toBeLessThan(10_000);
  expect(text(result)).toBe("Cancelled by @ana while it was running; anything it had already done remains.");
  expect(result.files?.slice(0, 3)).toEqual([
    { path: "f.txt", sha256: hash("a\n"), action: "wrote" },
    { path: "g", sha256: null, action: "wrote" },
    { path: "huge", sha256: null, action: "wrote" },
  ]);
});

test.each([
  {
    script: "echo a; echo b >&2; echo > begun; sleep 100",
    printed: ["stdout up to then:", "a", "stderr up to then:", "b"],
  },
  {
    script: "echo a; echo > begun; until false; do seq 2000 | sort > /dev/null; done",
    printed: ["stdout up to then:", "a"],
  },
  { script: "echo 'echo ü; echo > begun; sleep 100' > s.sh; bash s.sh; echo no", printed: ["stdout up to then:", "ü"] },
  {
    script: "echo a; echo > begun; awk 'BEGIN { do { i++ } while (1) }'; echo no",
    printed: ["stdout up to then:", "a"],
  },
])("output printed before a person's stop is kept: $script", async ({ script, printed }) => {
  const session = fileSession(sandbox);
  const abort = new AbortController();
  const ended = session.run("bash", { command: script, timeout: 600 }, abort.signal);
  await expect.poll(() => existsSync(path.join(session.root, "begun"))).toBe(true);
  abort.abort(new CancelSignal({ by: "person", name: "@ana" }));
  const lines = text(await ended).split("\n");
  expect(lines).toEqual(["Cancelled by @ana while it was running; anything it had already done remains.", ...printed]);
});

test("a script that is ended by shutdown has no result", async () => {
  const session = fileSession(sandbox);
  const abort = new AbortController();
  const ended = session.run("bash", { command: "echo a; echo > begun; sleep 100" }, abort.signal);
  await expect.poll(() => existsSync(path.join(session.root, "begun"))).toBe(true);
  abort.abort(new SuspendSignal("a shutdown"));
  await expect(ended).rejects.toBe(abort.signal.reason);
});

test("a stop before the script's start is thrown, as with every tool", async () => {
  const abort = new AbortController();
  const ended = fileSession(sandbox).run("bash", { command: "sleep 100" }, abort.signal);
  abort.abort(new CancelSignal({ by: "person", name: "@ana" }));
  await expect(ended).rejects.toBe(abort.signal.reason);
});

test("a command that has run out of time changes nothing afterwards", async () => {
  const session = fileSession(sandbox);
  const command =
    "timeout 0.1 sh -c 'sleep 0.3; touch late; echo late > later'; echo $?; " +
    "seq 3 | timeout 0.15 xargs -I{} sh -c 'sleep 0.1; touch made{}'; echo $?; sleep 0.5; ls";
  expect(text(await session.run("bash", { command }))).toBe("exit code 0\nstdout:\n124\n124\nmade1");
});

test("timeout ends a loop that never waits, and what it had printed is kept", async () => {
  const command =
    "timeout 0.2 bash -c 'echo begun; while :; do :; done; touch late'; echo $?; " +
    "timeout 0.2 sh -c 'echo out; echo err >&2; sleep 5' | cat; echo ${PIPESTATUS[0]}; ls";
  const result = text(await fileSession(sandbox).run("bash", { command }));
  expect(result).toBe("exit code 0\nstdout:\nbegun\n124\nout\n124\nstderr:\nerr");
});

test("timeout kills what ignores its signal, and ends programs that never wait", async () => {
  const command =
    `timeout -k 0.1 0.1 bash -c "trap '' TERM; echo a; while :; do :; done"; echo $?; ` +
    "timeout 0.1 awk 'BEGIN { print \"b\"; while (1) i++ }'; echo $?; trap 'echo out' EXIT; timeout 0.1 sleep 1";
  const result = text(await fileSession(sandbox).run("bash", { command }));
  expect(result).toBe("exit code 124\nstdout:\na\n137\nb\n124\nout");
});
