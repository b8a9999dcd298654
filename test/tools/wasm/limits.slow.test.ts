import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();
/** Limits for tests that are not about time; long enough for a busy machine. */
const PROGRAM = { clock: true, timeoutMs: 20_000, memoryMb: 32, outputBytes: 200_000 };

const session = (sessionId = "s", channelKey = "c", timeoutMs = PROGRAM.timeoutMs) =>
  fileSession(sandbox, {
    limits: { programs: { ...PROGRAM, timeoutMs }, files: { timeoutMs } },
    context: { sessionId, channelKey },
  });

test("an infinite loop ends at its time limit", async () => {
  const result = await session("looping", "c1", 500).run("js_exec", { code: "for (;;) {}" });
  expect(result).toMatchObject({ isError: true, summary: "stopped after 0.5 s" });
});

test("other sessions are served while a program loops endlessly", async () => {
  const other = session("other", "c2");
  other.put("f.txt", "here");
  const stop = new AbortController();
  const loop = session("looping", "c1").run("js_exec", { code: "for (;;) {}" }, stop.signal);
  for (let answers = 0; answers < 2; answers++) {
    expect(text(await other.run("read", { path: "f.txt" }))).toBe("1\there");
  }
  stop.abort(new DOMException("stop", "AbortError"));
  // The loop ran until now.
  await expect(loop).rejects.toMatchObject({ name: "AbortError" });
});

const greedy = [
  { name: "1 GB of arrays", code: "const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1));" },
  { name: "a buffer of 1 GB", code: "new ArrayBuffer(2 ** 30)" },
  { name: "a string of 1 GB", code: "let s = 'x'; for (;;) s += s;" },
];

test.each(greedy)("$name exceeds the memory limit of a guest", async ({ code }) => {
  const result = await session().run("js_exec", { code });
  expect(result.isError).toBe(true);
  expect(text(result)).toMatch(/InternalError: (out of memory|string too long)/);
});

test("of 100 MB of printed output the end is shown, and more of it is in a named file", async () => {
  const one = session();
  const result = await one.run("js_exec", {
    code: "for (let i = 0; i < 100; i++) console.log('x'.repeat(1e6)); console.log('last'); 'end'",
  });
  const shown = text(result);
  const [, file = ""] =
    /^\[(?:\d+) lines, of which the last are shown; the whole output is in (\.deckhand-output\/\w+\.txt)\]\n/.exec(
      shown,
    ) ?? [];
  expect(shown).toMatch(/x\nlast\n=> end$/);
  expect(shown.length).toBeLessThan(31_000);
  const kept = one.bytes(file).toString();
  expect(kept).toMatch(/^\[\d+ characters before this were dropped\]\nx/);
  expect(kept.length).toBeGreaterThan(900_000);
});

test("output beyond the limit ends the call, not the bot", async () => {
  const { root, context } = session();
  const caller = { ...context, signal: new AbortController().signal };
  const input = JSON.stringify({ code: "'é'.repeat(300_000)", file: null, maxChars: 1e9, overflow: "out", seed: 1 });
  const call = sandbox.call("js", input, { root, writable: false, ...PROGRAM }, caller);
  await expect(call).rejects.toMatchObject({
    code: "sandbox_limit",
    detail: { limit: "output", value: "200000 bytes" },
  });
});

test("endless recursion fails the program only", async () => {
  const one = session();
  expect(await one.run("js_exec", { code: "(function f() { f(); })()" })).toMatchObject({ isError: true });
  expect(text(await one.run("js_exec", { code: "1 + 1" }))).toBe("=> 2");
});

test("an endless search is stopped at its time limit", async () => {
  const one = session("s", "c", 1_500);
  one.put("f.txt", `${"a".repeat(40)}b\n`);
  const result = await one.run("grep", { pattern: "(a+)+$" });
  expect(result).toMatchObject({ isError: true, summary: "stopped after 1.5 s" });
});

test("a cancelled call rejects at once and frees its slot", async () => {
  const one = session();
  const abort = new AbortController();
  const loop = one.run("js_exec", { code: "for (;;) {}" }, abort.signal);
  one.put("f.txt", "x");
  await session("warm", "other").run("glob", { pattern: "*" });
  abort.abort(new DOMException("stop", "AbortError"));
  await expect(loop).rejects.toMatchObject({ name: "AbortError" });
  expect(text(await one.run("read", { path: "f.txt" }))).toBe("1\tx");
});

test("an already aborted signal starts nothing", async () => {
  await expect(session().run("js_exec", { code: "1" }, AbortSignal.abort(new Error("stopped")))).rejects.toThrow(
    "stopped",
  );
});

test("after the sandbox process is killed its calls fail, and the next one works", async () => {
  const one = session();
  expect(text(await one.run("js_exec", { code: "1" }))).toBe("=> 1");
  const pid = sandbox.pid();
  const loop = one.run("js_exec", { code: "for (;;) {}" });
  const waiting = one.run("js_exec", { code: "2" });
  process.kill(pid ?? 0, "SIGKILL");
  const result = await loop;
  expect(result).toMatchObject({ isError: true, summary: "sandbox failed" });
  expect(text(result)).toContain("SIGKILL");
  expect(text(await waiting)).toBe("=> 2");
  expect(sandbox.pid()).not.toBe(pid);
});

test.runIf(process.platform === "linux")("the sandbox process has an empty environment", async () => {
  await session().run("js_exec", { code: "1" });
  const environment = readFileSync(`/proc/${sandbox.pid()}/environ`, "utf8")
    .split("\0")
    .filter((entry) => entry !== "");
  const names = environment.map((entry) => entry.split("=")[0]);
  expect(new Set(names)).toEqual(new Set(["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"]));
});

test.runIf(process.platform === "linux")("45 calls leak neither descriptors nor threads", async () => {
  const count = (what: "fd" | "task"): number => readdirSync(`/proc/${sandbox.pid()}/${what}`).length;
  const counts = () => ({ fd: count("fd"), task: count("task") });
  const one = session();
  one.put("d/f.txt", "x");
  const work = async (): Promise<void> => {
    await one.run("read", { path: "d/f.txt" });
    await one.run("grep", { pattern: "x" });
    await one.run("read", { path: "absent/f.txt" });
  };
  for (let round = 0; round < 5; round++) await work();
  const before = counts();
  for (let round = 0; round < 15; round++) await work();
  // A call's resources are released a moment after its answer.
  await expect.poll(counts).toEqual(before);
});

test("a program without the clock capability cannot learn the time", async () => {
  const code = `
    const asked = [Date.now(), +new Date(), new Date().getFullYear(), Date.parse(Date())];
    const later = new Promise((resolve) => setTimeout(() => resolve(Date.now()), 0));
    [...asked, await later, performance.now()]`;
  const blind = fileSession(sandbox, { limits: { programs: { ...PROGRAM, clock: false } } });
  expect(text(await blind.run("js_exec", { code }))).toBe("=> [0, 0, 1970, 0, 0, 0]");
  expect(text(await session().run("js_exec", { code: "Date.now() > 1e12" }))).toBe("=> true");
});

test("a program leaves nothing to the next one", async () => {
  const one = session();
  await one.run("js_exec", { code: "globalThis.left = 1; Array.prototype.left = 1; var x = 1" });
  expect(text(await one.run("js_exec", { code: "[typeof left, typeof x, [].left]" }))).toBe(
    '=> ["undefined", "undefined", undefined]',
  );
});

test("the sandbox process exits when the bot dies", async () => {
  const bot = fork(fileURLToPath(new URL("./dying-bot.ts", import.meta.url)));
  const [pid] = await once(bot, "message");
  bot.kill("SIGKILL");
  await once(bot, "exit");
  await expect.poll(() => isAlive(Number(pid))).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
