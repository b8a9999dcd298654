import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toolSpecs } from "../../../src/core/agent/tool-specs.ts";
import { deferTools } from "../../../src/core/context/deferred-tools.ts";
import { boundResult } from "../../../src/core/context/tool-result-bounds.ts";
import { RecordingLog } from "../../support/discord/recording-log.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { begin, connect, hostile, textIn, useConnected } from "./connected.ts";

/** Tests with a misbehaving server: the bot continues and reports what happened. */

const settings = { timeoutMs: 30_000, tools: { never: { timeoutMs: 150 } } };
const one = useConnected(async () => ({ bad: hostile("plain", settings) }));

test("an unusable tool affects no other, and each says why it is left out", () => {
  const { mcp } = one();
  const [view] = mcp.describe();
  expect(view?.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["mcp__bad__echo", "mcp__bad__wordy"]));
  expect(Object.fromEntries(view?.leftOut.map(({ tool, why }) => [tool, why]) ?? [])).toEqual({
    echo: "the server lists it twice",
    bad_text: "its definition is not valid",
    bad_array: "its input schema does not describe an object",
    bad_depth: "its input schema is nested deeper than 32 levels",
    bad_size: "its input schema has 150034 characters, more than 100000",
    "(no name)": "its definition is not valid",
  });
});

test("a tool whose schema providers refuse or nobody can check still works, and no request carries the schema", async () => {
  const { tool, call } = one();
  const odd = ["bad_type", "bad_choice", "bad_pattern", "bad_ref", "bad_local_ref", "bad_key", "bad_twice"];
  const offered = (name: string) => deferTools([tool(`mcp__bad__${name}`)]).length;
  for (const name of odd) expect(offered(name), name).toBe(0);
  expect(offered("fail")).toBe(1);
  expect(tool("mcp__bad__bad_type").input.safeParse({ a: "x" }).success).toBe(true);
  expect(tool("mcp__bad__bad_choice").input.safeParse({}).success).toBe(false);
  expect(textIn(await call("mcp__bad__bad_key", { "a key": 1 }))).toBe('{"a key":1}');
});

test("a server that declares no capabilities, writes nulls and prints between its messages has tools", async () => {
  const { mcp, call } = await connect({ bad: hostile("sloppy") });
  expect(mcp.describe()[0]?.leftOut.filter(({ why }) => why.includes("twice"))).toHaveLength(1);
  expect(textIn(await call("mcp__bad__echo", { text: "aa" }))).toBe('{"text":"aa"}');
});

test("names are unique, follow every provider's rules, and are the same each time", async () => {
  const { mcp } = await connect({ bad: hostile(), worse: hostile() });
  const names = mcp.tools().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(names).toEqual(names.toSorted());
  const again = await connect({ worse: hostile(), bad: hostile() });
  expect(JSON.stringify(toolSpecs(again.mcp.tools()))).toBe(JSON.stringify(toolSpecs(mcp.tools())));
});

test("descriptions are bounded and contain nothing invisible", () => {
  const { tool } = one();
  const wordy = tool("mcp__bad__wordy").description;
  expect(wordy.length).toBeLessThan(16_100);
  expect(tool("mcp__bad__large").description, "as long as servers that explain themselves have it").toContain(
    "l".repeat(14_000),
  );
  expect(wordy).toMatch(/^\[31mw+…\n\n\(MCP server bad\)$/);
});

test("without servers there are no tools", () => {
  expect(begin({}).mcp.tools()).toEqual([]);
});

test("only the first thousand tools of a server with thousands of tools and endless pages are used", async () => {
  const { mcp } = await connect({ bad: hostile("crowd") });
  const [view] = mcp.describe();
  expect(view?.tools).toHaveLength(1_000);
  expect(view?.leftOut[0]).toEqual({ tool: "tool1000", why: "the server has more than 1000 tools" });
});

/** `ends` marks calls that end the server, which is then restarted. */
const answers: { tool: string; what: string; text: RegExp; isError: boolean; ends?: true }[] = [
  { tool: "flood", what: "a flood of notifications", text: /^after the flood$/, isError: false },
  { tool: "garbage", what: "lines that are not messages", text: /^after the garbage$/, isError: false },
  {
    tool: "fail",
    what: "an error",
    text: /failed: it answered with an error: it broke b{1900,1999}…\./,
    isError: true,
  },
  { tool: "structured", what: "structured content only", text: /"degrees": 21/, isError: false },
  {
    tool: "summary",
    what: "a summary of structured content",
    text: /^Found 2 issues\.\n?\{[\s\S]+"AB-1"[\s\S]+"Rudder stuck"/,
    isError: false,
  },
  {
    tool: "much",
    what: "more than a result can hold",
    text: /m\n?\[The server sent more: 10 of 60 parts, 151000 of 250000 characters are left out\.\]$/,
    isError: false,
  },
  {
    tool: "huge",
    what: "a message over the size limit",
    text: /failed: its program ended \(it sent a message of more than 10 MB\)\. Anything it had already done/,
    isError: true,
    ends: true,
  },
  {
    tool: "deaf",
    what: "questions whose answers the server never reads",
    text: /failed: its program ended \(it left more than 10 MB unread\)\. Anything it had already done/,
    isError: true,
    ends: true,
  },
  {
    tool: "crash",
    what: "the server's death",
    text: /failed: its program ended \(exit code 3\)\. Anything it had already done/,
    isError: true,
    ends: true,
  },
];

test.each(answers)("$what is a result the model can use", async ({ tool, text, isError, ends = false }) => {
  const { call } = ends ? await connect({ bad: hostile() }) : one();
  const result = await call(`mcp__bad__${tool}`);
  expect(textIn(result)).toMatch(text);
  expect(result.isError).toBe(isError);
  expect(textIn(await call("mcp__bad__echo", { text: "aa" })), "the server is used again").toBe('{"text":"aa"}');
});

test("content beyond a result's size limit is counted once, by its real size", async () => {
  const { call } = one();
  const result = await call("mcp__bad__much");
  expect(boundResult(result).content).toEqual(result.content);
});

test("content of every kind is accepted, and what cannot be shown is named", async () => {
  const { call } = one();
  const { content } = await call("mcp__bad__odd");
  expect(content).toEqual([
    { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
    { type: "text", text: "[image: image/x-icon, 1 KB, is left out]" },
    { type: "text", text: "[image: image/png, 1 KB, is left out]" },
    { type: "text", text: "[image: image/png, 4395 KB, is left out]" },
    { type: "text", text: "[audio: audio/wav, 1 KB, is left out]" },
    { type: "document", name: "mem://text", mediaType: "text/plain", text: "readable" },
    { type: "text", text: "[mem://pdf: application/pdf, 1 KB, is left out]" },
    { type: "text", text: "[resource mem://far · far]" },
    { type: "text", text: "[a part of an unknown kind is left out]" },
    { type: "text", text: "[a part of an unknown kind is left out]" },
    { type: "text", text: "`image-1.png` can be seen in the thread." },
  ]);
});

test("loosely formatted content is read as intended, and images have the type of their bytes", async () => {
  const { call } = one();
  const { content, isError } = await call("mcp__bad__loose");
  expect(isError).toBe(true);
  expect(content).toEqual([
    { type: "text", text: "a text alone" },
    { type: "text", text: "a text without its kind" },
    { type: "text", text: '{"degrees":21}' },
    { type: "text", text: "" },
    { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" },
    { type: "image", mediaType: "image/jpeg", data: "/9j/4AAQSkZJRgABAQ==" },
    { type: "image", mediaType: "image/jpeg", data: "/9j/4AAQSkZJRgABAQ==" },
    { type: "text", text: "[resource mem://far]" },
    { type: "document", name: "resource", mediaType: "text/plain", text: "readable" },
  ]);
});

test("a null counts as absent, in tools and in results", async () => {
  const { call } = one();
  const { content, isError } = await call("mcp__bad__nulls");
  expect(content).toEqual([{ type: "document", name: "mem://a", mediaType: "text/plain", text: "readable" }]);
  expect(isError).toBe(false);
});

test("a call that is never answered is given up at its own time limit", async () => {
  const { call } = one();
  const result = await call("mcp__bad__never");
  expect(textIn(result)).toBe(
    "The MCP server bad failed: it did not respond within 0.15 s. Anything it had already done remains.",
  );
  expect(textIn(await call("mcp__bad__echo", { text: "aa" }))).toBe('{"text":"aa"}');
});

test("what a server writes to stderr goes to the log, not to the model", async () => {
  const log = new RecordingLog();
  const { call } = await connect({ bad: hostile() }, { log });
  expect(textIn(await call("mcp__bad__crash"))).not.toContain("secret-in-stderr");
  const ended = log.lines.find(({ event }) => event === "mcp_server_ended");
  expect(ended?.fields).toEqual({ ending: "exit code 3", stderr: "secret-in-stderr\n" });
});

test("a server that supports only the revision without a handshake is connected, too", async () => {
  const { mcp, call } = await connect({ bad: hostile("modern") });
  expect(mcp.describe()[0]?.state.type).toBe("connected");
  expect(textIn(await call("mcp__bad__echo", { text: "aa" }))).toBe('{"text":"aa"}');
});

test("a changed tool list is loaded, however often the server announces it", async () => {
  const log = new RecordingLog();
  const { mcp, call } = await connect({ bad: hostile() }, { log });
  await call("mcp__bad__change");
  await expect.poll(() => mcp.tools().map(({ name }) => name)).toEqual(["mcp__bad__new", "mcp_resources"]);
  expect(log.lines.filter(({ event }) => event === "mcp_tools_changed").length).toBeLessThanOrEqual(2);
});

test("a server that cannot run is retried, each time after a longer pause", async () => {
  const clock = new ManualClock();
  const log = new RecordingLog();
  const { mcp } = await connect({ bad: hostile("exit") }, { clock, log });
  const attempts = () => log.lines.filter(({ event }) => event === "mcp_not_connected").length;
  await expect.poll(attempts).toBe(2);
  expect(mcp.describe()[0]?.state).toMatchObject({ type: "down", why: "its program ended (exit code 7)" });
  for (const [index, pauseMs] of [1_000, 2_000, 4_000, 8_000].entries()) {
    await clock.advance(pauseMs * 0.74);
    expect(attempts()).toBe(index + 2);
    await clock.advance(pauseMs * 0.26);
    await expect.poll(attempts).toBe(index + 3);
  }
});

test("the last output of a program that exits at once is read", async () => {
  const sh = (script: string) => ({ command: "/bin/sh", args: ["-c", script] });
  const refusal = JSON.stringify({ jsonrpc: "2.0", id: 0, error: { code: -32_000, message: "no key" } });
  const { mcp } = await connect({ writes: sh("echo no key >&2; exit 3"), answers: sh(`read line; echo '${refusal}'`) });
  const [answers, writes] = mcp.describe();
  expect(writes?.lastStderr).toBe("no key\n");
  expect(answers?.state).toMatchObject({ why: "it answered with an error: no key" });
});

const absent = [
  { name: "a program that is not there", server: { command: "/no/such/program" }, why: "its program was not found" },
  {
    name: "an argument that is no path, however long",
    server: { command: "/no/such/program", args: [`/${"x".repeat(5_000)}`] },
    why: "its program was not found",
  },
  {
    name: "a working directory that is not there",
    server: { command: process.execPath, cwd: "/no/such/directory" },
    why: "its working directory (`cwd`) does not exist",
  },
  {
    name: "an address where nobody listens",
    server: { url: "http://127.0.0.1:1/mcp" },
    why: /the connection to it failed/,
  },
];

test.each(absent)("$name is reported as a state and causes no delay", async ({ server, why }) => {
  const { mcp, call } = await connect({ gone: server });
  expect(mcp.describe()[0]?.state.type).toMatch(/down|connecting/);
  const result = await call("mcp_resources", { action: "list", server: "gone" });
  expect(result.isError).toBe(true);
  expect(textIn(result)).toMatch(why);
});

test("a server that never greets delays neither the start nor the stop", async () => {
  const startedAt = performance.now();
  const { mcp } = begin({ mute: hostile("silent") });
  expect(mcp.tools().map(({ name }) => name)).toEqual(["mcp_resources"]);
  expect(mcp.describe()[0]?.state).toEqual({ type: "connecting", why: null });
  await mcp.stop();
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(mcp.describe()[0]?.state).toEqual({ type: "stopped" });
});

test("a stop ends a server that ignores SIGTERM, and what it started", async () => {
  const { mcp, call } = await connect({ bad: hostile("stubborn") });
  const grandchild = Number(textIn(await call("mcp__bad__family")));
  expect(isAlive(grandchild)).toBe(true);
  await mcp.stop();
  await expect.poll(() => isAlive(grandchild)).toBe(false);
  const late = await call("mcp__bad__echo", { text: "aa" });
  expect(textIn(late)).toContain("it is stopped");
});

test("a call waits for a server that is connecting, and its lists contain nothing invisible", async () => {
  const { call } = begin({ bad: hostile() });
  const listed = await call("mcp_resources", { action: "list", server: "bad" });
  expect(listed.isError).toBe(false);
  expect(textIn(listed)).toMatch(/^Resources:\n(- mem:\/\/a · A B\n)+Prompts:\n- p\(\) · d{199}…\n- p and q\(\)$/);
});

/** Whether the process runs; a zombie does not. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
