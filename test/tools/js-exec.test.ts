import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "./file-session.ts";

const sandbox = useSandbox();

const programs = [
  { code: "const rows = [3, 1, 2]; rows.sort(); rows.map((n) => n * 2)", says: "=> [2, 4, 6]", summary: "done" },
  {
    code: "console.log('a', 1, { b: [true, null] }); console.error('c')",
    says: "a 1 {b: [true, null]}\nc",
    summary: "2 lines",
  },
  { code: "'text'", says: "=> text", summary: "done" },
  { code: "let x = 1;", says: "The program ended without output.", summary: "done" },
  { code: "new Map([['k', new Set([1n])]])", says: '=> Map {"k" => Set {1n}}', summary: "done" },
  { code: "const o = { f() {} }; o.self = o; o", says: "=> {f: [Function f], self: [Circular]}", summary: "done" },
  { code: "'a\\ud800'", says: "=> a\uFFFD", summary: "done" },
  { code: "new Date(0).toISOString()", says: "=> 1970-01-01T00:00:00.000Z", summary: "done" },
  { code: "new Date() instanceof Date && Date.now() > 1.7e12", says: "=> true", summary: "done" },
];

test.each(programs)("js_exec of $code", async ({ code, says, summary }) => {
  const result = await fileSession(sandbox).run("js_exec", { code });
  expect(text(result)).toBe(says);
  expect(result).toMatchObject({ isError: false, summary });
});

const failing = [
  { name: "an error after output", code: "console.log('so far');\nnull.x", says: /^so far\nTypeError: .*\(line 2\)$/ },
  { name: "a thrown value", code: "throw { code: 7 }", says: /^Uncaught \{code: 7\}$/ },
  { name: "a syntax error", code: "let = = 1", says: /^SyntaxError: / },
  { name: "files, which it has not", code: "require('fs')", says: /require is not defined/ },
  { name: "the network, which it has not", code: "fetch('http://127.0.0.1/')", says: /fetch is not defined/ },
];

test.each(failing)("js_exec reports $name", async ({ code, says }) => {
  const result = await fileSession(sandbox).run("js_exec", { code });
  expect(text(result)).toMatch(says);
  expect(result).toMatchObject({ isError: true, summary: "failed" });
});

test("js_exec says that nothing asynchronous is waited for", async () => {
  const result = await fileSession(sandbox).run("js_exec", { code: "Promise.resolve(1)" });
  expect(text(result)).toContain("nothing asynchronous is waited for");
});

test("each program draws other random numbers", async () => {
  const session = fileSession(sandbox);
  const draw = async (): Promise<string> => text(await session.run("js_exec", { code: "Math.random()" }));
  expect(await draw()).not.toBe(await draw());
});

test("a program that breaks its own surroundings breaks only itself", async () => {
  const session = fileSession(sandbox);
  const spoiled = await session.run("js_exec", {
    code: "JSON.stringify = () => '{\"output\":1}'; Object.prototype.toJSON = () => 1; 1",
  });
  expect(text(spoiled)).toContain("no valid answer");
  expect(text(await session.run("js_exec", { code: "JSON.stringify({ a: 1 })" }))).toBe('=> {"a":1}');
});

test("calls of one turn wait for each other, and the thread is told", async () => {
  const told: number[] = [];
  const session = fileSession(sandbox, { context: { queued: (before) => told.push(before) } });
  session.put("f.txt", "x");
  const reads = await Promise.all([1, 2, 3].map(() => session.run("read", { path: "f.txt" })));
  expect(reads.map((result) => result.summary)).toEqual(["1 line", "1 line", "1 line"]);
  expect(told).toEqual([1, 2, 1]);
});
