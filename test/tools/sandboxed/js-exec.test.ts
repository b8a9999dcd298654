import { existsSync } from "node:fs";
import path from "node:path";
import { runInThisContext } from "node:vm";
import { expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import type { CallPreview } from "../../../src/core/tool.ts";
import { fileSession, text, useSandbox } from "../file-session.ts";

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

test.each(programs)("js_exec evaluates $code", async ({ code, says, summary }) => {
  const result = await fileSession(sandbox).run("js_exec", { code });
  expect(text(result)).toBe(says);
  expect(result).toMatchObject({ isError: false, summary });
});

/** Decodes many short sequences of bytes in each way, and encodes the texts. */
const CODECS = String.raw`(() => {
  const bytes = [0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xe0, 0xe1, 0xed, 0xef, 0xf0, 0xf1, 0xf4, 0xf5];
  const decode = (row, options) => {
    try {
      return new TextDecoder("utf-8", options).decode(new Uint8Array(row));
    } catch (error) {
      return error.name;
    }
  };
  const rows = bytes.flatMap((a) => bytes.flatMap((b) => bytes.map((c) => [a, b, c, 0xbf])));
  const texts = rows.flatMap((row) => [decode(row, {}), decode(row, { fatal: true })]);
  const long = "é€😀\udc00" + texts.join("").repeat(3);
  const part = new Uint8Array(8);
  const written = new TextEncoder().encodeInto("aé\ud800😀", part);
  const encoded = new TextEncoder().encode(long);
  const isSame = new TextDecoder().decode(encoded) === long.toWellFormed();
  return JSON.stringify([texts, Array.from(encoded), isSame, written, Array.from(part)]);
})()`;

test("js_exec decodes and encodes UTF-8 as Node does, also what is invalid", async () => {
  const session = fileSession(sandbox);
  const found = await session.run("js_exec", { code: `import fs from "fs"; fs.writeFileSync("found", ${CODECS})` });
  expect(found.isError).toBe(false);
  expect(session.bytes("found").toString()).toBe(runInThisContext(CODECS));
});

const failing = [
  { name: "an error after output", code: "console.log('so far');\nnull.x", says: /^so far\nTypeError: .*\(line 2\)$/ },
  { name: "a thrown value", code: "throw { code: 7 }", says: /^Uncaught \{code: 7\}$/ },
  { name: "a syntax error", code: "let = = 1", says: /^SyntaxError: / },
  { name: "require, which it has not", code: "require('fs')", says: /require is not defined/ },
  { name: "a promise that rejects", code: "await Promise.reject(new RangeError('no'))", says: /^RangeError: no/ },
  { name: "an error in a timer", code: "setTimeout(() => { throw new Error('late') }, 1)", says: /^Error: late/ },
  {
    name: "a promise that nothing settles",
    code: "await new Promise(() => {})",
    says: /waits for a promise that nothing settles/,
  },
  { name: "a package", code: "import _ from 'lodash'", says: /packages are not in the sandbox/ },
  { name: "a module that is not there", code: "import './absent.js'", says: /there is no such file/ },
  { name: "TypeScript", code: "import './x.ts'", says: /only \.js, \.mjs and \.json files/ },
  {
    name: "the network, which it was not given",
    code: "fetch('http://127.0.0.1/')",
    says: /There is no network access here/,
  },
];

test.each(failing)("js_exec reports the failure $name", async ({ code, says }) => {
  const result = await fileSession(sandbox).run("js_exec", { code });
  expect(text(result)).toMatch(says);
  expect(result).toMatchObject({ isError: true, summary: "failed" });
});

const asynchronous = [
  { name: "the promise of a script's last expression", code: "Promise.resolve(1)", says: "=> 1" },
  { name: "await at the top level", code: "const x = await (async () => 2)();\nx + 1", says: "=> 3" },
  {
    name: "timers, in their order",
    code: "setTimeout(() => console.log('b'), 20); setTimeout(() => console.log('a'), 1); 1",
    says: "a\nb\n=> 1",
  },
  {
    name: "an interval",
    code: "let n = 0; const t = setInterval(() => { if (++n === 3) { clearInterval(t); console.log(n) } }, 1);",
    says: "3",
  },
  {
    name: "for await",
    code: "for await (const x of (async function* () { yield 1; yield 2 })()) console.log(x)",
    says: "1\n2",
  },
];

test.each(asynchronous)("js_exec awaits $name", async ({ code, says }) => {
  expect(text(await fileSession(sandbox).run("js_exec", { code }))).toBe(says);
});

const MODULES = {
  "lib/count.mjs": "export let count = 1;\nexport function up() { count++; }\nexport default class Counter {}\n",
  "lib/all.js":
    "export * from './count.mjs';\nexport { count as total } from './count.mjs';\nexport * as inner from './count.mjs';\n",
  "lib/a.js":
    "import { b } from './b.js';\nexport const a = () => 'a' + b();\nexport function first() { return 'first'; }\n",
  "lib/b.js": "import { first } from './a.js';\nexport const b = () => 'b' + first();\n",
  "lib/late.js": "export const late = await new Promise((r) => setTimeout(() => r('late'), 1));\n",
  "lib/destructured.js": "export const { x, y: [z, ...rest], w = 4 } = { x: 1, y: [2, 3] };\n",
  "data.json": '{ "k": [1] }',
  "main.mjs":
    "#!/usr/bin/env node\nimport { up, count } from './lib/count.mjs';\nup();\nconsole.log(import.meta.filename, count);\n",
};

const importing = [
  { name: "live bindings", code: "import { count, up } from './lib/count.mjs';\nup();\ncount", says: "=> 2" },
  { name: "a default", code: "import Counter from './lib/count.mjs';\nCounter.name", says: "=> Counter" },
  {
    name: "what is handed on",
    code: "import * as all from './lib/all.js';\n[Object.keys(all).sort(), all.total, all.inner.count]",
    says: '=> [["count", "inner", "total", "up"], 1, 1]',
  },
  { name: "modules that import each other", code: "import { a } from './lib/a.js';\na()", says: "=> abfirst" },
  { name: "await within a module", code: "import { late } from './lib/late.js';\nlate", says: "=> late" },
  {
    name: "destructured exports",
    code: "import { x, z, rest, w } from './lib/destructured.js';\n[x, z, rest, w]",
    says: "=> [1, 2, [3], 4]",
  },
  { name: "JSON", code: "import data from './data.json' with { type: 'json' };\ndata.k", says: "=> [1]" },
  {
    name: "import()",
    code: "const { up, count } = await import('./lib/count.mjs');\ntypeof up + count",
    says: "=> function1",
  },
  {
    name: "node:path",
    code: "import path from 'node:path';\npath.join('a', '..', 'b', path.basename('/x/y.js', '.js'))",
    says: "=> b/y",
  },
];

test.each(importing)("js_exec imports $name", async ({ code, says }) => {
  const session = fileSession(sandbox);
  for (const [file, content] of Object.entries(MODULES)) session.put(file, content);
  expect(text(await session.run("js_exec", { code }))).toBe(says);
});

test("a module's exports cannot be assigned from outside", async () => {
  const session = fileSession(sandbox);
  session.put("m.js", "export let x = 1;");
  const result = await session.run("js_exec", { code: "import { x } from './m.js';\nx = 2;" });
  expect(text(result)).toMatch(/^TypeError/);
});

test("a program can be run from a file", async () => {
  const session = fileSession(sandbox);
  for (const [file, content] of Object.entries(MODULES)) session.put(file, content);
  const result = await session.run("js_exec", { file: "main.mjs" });
  expect(text(result)).toBe("/workspace/main.mjs 2");
});

test("a program can read and write files, also binary ones, and the result lists them", async () => {
  const session = fileSession(sandbox);
  session.put("in.bin", Uint8Array.of(0, 1, 127, 128, 254, 255));
  const code = [
    "import { readFile, writeFile, mkdir, rename, rm } from 'node:fs/promises';",
    "import fs from 'node:fs';",
    "const bytes = await readFile('in.bin');",
    "await mkdir('out/deep', { recursive: true });",
    "await writeFile('/workspace/out/deep/copy.bin', bytes.map((byte) => 255 - byte));",
    "fs.writeFileSync('out/a.txt', 'é\\n'); fs.appendFileSync('out/a.txt', 'b');",
    "await rename('out/a.txt', 'out/b.txt'); await rm('in.bin');",
    "[fs.readFileSync('out/b.txt', 'utf8'), fs.existsSync('in.bin'), fs.readdirSync('.', { recursive: true }), fs.statSync('out').isDirectory()]",
  ].join("\n");
  const result = await session.run("js_exec", { code });
  expect(text(result)).toBe('=> ["é\\nb", false, ["out", "out/b.txt", "out/deep", "out/deep/copy.bin"], true]');
  expect([...session.bytes("out/deep/copy.bin")]).toEqual([255, 254, 128, 127, 1, 0]);
  expect(result.files?.map(({ path, sha256 }) => [path, sha256 === null])).toEqual([
    ["out/deep/copy.bin", false],
    ["out/a.txt", true],
    ["out/b.txt", false],
    ["in.bin", true],
  ]);
});

test("the parameters code and file exclude each other", () => {
  const { input } = fileSession(sandbox).tool("js_exec");
  expect(input.safeParse({}).success).toBe(false);
  expect(input.safeParse({ code: "1", file: "x.js" }).success).toBe(false);
  expect(input.safeParse({ file: "x.js" }).success).toBe(true);
});

test("the card shows the program, also one from a file", async () => {
  const session = fileSession(sandbox);
  session.put("p.js", "1 +\n1");
  const { signal } = new AbortController();
  const preview = (call: object) => session.tool("js_exec").preview?.(call, session.context, signal);
  expect(await preview({ code: "2" })).toEqual({
    question: "Run a program?",
    language: "js",
    text: "2",
    reach: "may change files in the sandbox of this channel · no network · 60 s · 64 MB",
  });
  expect(await preview({ file: "p.js" })).toMatchObject({ text: "// p.js\n1 +\n1" });
});

test.each([
  { code: 'import { up } from "./lib/up.js";\nup;', executes: ["lib/one.js", "lib/up.js"] },
  { code: "const { up } = await import('/workspace/lib/up.js')", executes: ["lib/one.js", "lib/up.js"] },
  { file: "lib/main.js", executes: ["lib/up.js", "lib/one.js", "missing.mjs"] },
  { code: 'import fs from "node:fs"; import data from "./data.json"; // a note on imports', executes: [] },
  { code: "const name = './lib/up.js'; await import(name)", isOpen: true },
  { code: "import/* */('./lib/up.js')", isOpen: true },
  { code: "import './lib/\\x75p.js'", isOpen: true },
  { code: "eval(fs.readFileSync('lib/up.js', 'utf8'))", isOpen: true },
])("an approval is bound to a program's imports: $code$file", async ({ executes = [], isOpen = false, ...call }) => {
  const session = fileSession(sandbox);
  session.put("lib/up.js", 'export * from "./one.js";\n');
  session.put("lib/one.js", "export const up = 1;\n");
  session.put("lib/main.js", 'import "./up.js";\nimport "../missing.mjs";\n');
  const { signal } = new AbortController();
  const look = async (): Promise<CallPreview> => {
    const seen = await session.tool("js_exec").preview?.(call, session.context, signal);
    if (seen === undefined || "refused" in seen) throw new Error("there is no preview");
    return seen;
  };
  const before = await look();
  expect(before.isRepeatable).toBe(isOpen ? false : undefined);
  const named = [...(before.facts ?? []).join().matchAll(/([\w./]+) \((?:sha256|missing)/gu)].map(([, file]) => file);
  expect(new Set(named)).toEqual(new Set(executes));
  session.put("lib/one.js", "export const up = 2;\n");
  const after = await look();
  expect(after.previewDigest === before.previewDigest).toBe(executes.length === 0);
  if (executes.length === 0 || before.previewDigest === undefined) return;
  const allowed = { ...session.context, approved: true, previewDigest: before.previewDigest };
  const result = await session.tool("js_exec").execute({ hosts: [], ...call }, allowed, signal);
  expect(text(result)).toMatch(/has changed since it was allowed/u);
});

test("each program gets different random numbers", async () => {
  const session = fileSession(sandbox);
  const draw = async (): Promise<string> => text(await session.run("js_exec", { code: "Math.random()" }));
  expect(await draw()).not.toBe(await draw());
});

test("a program that breaks its own globals affects no other", async () => {
  const session = fileSession(sandbox);
  const spoiled = await session.run("js_exec", {
    code: "JSON.stringify = () => '{\"output\":1}'; Object.prototype.toJSON = () => 1; 1",
  });
  expect(text(spoiled)).toContain("no valid answer");
  expect(text(await session.run("js_exec", { code: "JSON.stringify({ a: 1 })" }))).toBe('=> {"a":1}');
});

test("calls of one turn run in sequence, and the thread is told that they wait", async () => {
  const told: number[] = [];
  const session = fileSession(sandbox, { context: { queued: (before) => told.push(before) } });
  session.put("f.txt", "x");
  const reads = await Promise.all([1, 2, 3].map(() => session.run("read", { path: "f.txt" })));
  expect(reads.map((result) => result.summary)).toEqual(["1 line", "1 line", "1 line"]);
  expect(told).toEqual([1, 2, 1]);
});

const OUT_OF_TIME = "Stopped after 3 s: the call took too long. Do less per call.";

// These calls wait for their end, and leave the processor to programs that have not printed yet.
test.each([
  { code: "console.log('a'); console.error('ü', 1);", printed: "a\nü 1" },
  {
    code: "for (let i = 0; i < 400; i++) console.log(String(i).padStart(500));",
    printed: /^\[its end\]\n[^]{29000,30000} 399$/,
  },
  { code: "console.log('x'.repeat(200_000));", printed: /^\[its end\]\nx{29999}$/ },
])("output printed before the time limit is kept: $code", async ({ code, printed }) => {
  const endless = `${code} await new Promise((done) => setTimeout(done, 100_000));`;
  const result = await fileSession(sandbox).run("js_exec", { code: endless, timeout: 3 });
  expect(result).toMatchObject({ isError: true, summary: "stopped after 3 s" });
  const [sentence, shown] = result.content.map((block) => textOf([block]));
  expect(sentence).toBe(OUT_OF_TIME);
  const until = shown?.replace(/^Output up to then:\n/, "");
  if (typeof printed === "string") expect(until).toBe(printed);
  else expect(until).toMatch(printed);
});

test("output printed before a person's stop is kept", async () => {
  const session = fileSession(sandbox);
  const abort = new AbortController();
  const code = "console.log('a'); fs.writeFileSync('begun', ''); for (;;);";
  const ended = session.run("js_exec", { code, timeout: 600 }, abort.signal);
  await expect.poll(() => existsSync(path.join(session.root, "begun"))).toBe(true);
  abort.abort(new CancelSignal({ by: "person", name: "@ana" }));
  const blocks = (await ended).content.map((block) => textOf([block]));
  expect(blocks).toEqual([
    "Cancelled by @ana while it was running; anything it had already done remains.",
    "Output up to then:\na",
  ]);
});
