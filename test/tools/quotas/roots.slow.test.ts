import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { tempDirectory } from "../../support/temp-directory.ts";
import { text } from "../file-session.ts";
import { heldBy, MB, useQuotas } from "./quota-session.ts";

const stage = useQuotas();
const FULL =
  /The files here take up [\d.]+ (?:MB|kB) of 1 MB; .* more would exceed the limit\. Remove what is not needed/u;

/** Each call writes some 140 kB, or entries that take as much. */
const WAYS: readonly [string, string, (call: number) => object][] = [
  ["write", "writes files", (call) => ({ path: `f${call}.txt`, content: "x".repeat(140_000) })],
  ["bash", "redirects output", (call) => ({ command: `printf %0140000d 1 > f${call}` })],
  ["bash", "appends to one file", () => ({ command: "printf %0140000d 1 >> all" })],
  ["bash", "makes empty files", (call) => ({ command: `for i in $(seq 34); do : > f${call}-$i; done` })],
  ["bash", "makes directories", (call) => ({ command: `for i in $(seq 34); do mkdir d${call}-$i; done` })],
  ["bash", "makes directories within another", (call) => ({ command: `mkdir -p d${call}/$(seq -s / 33)` })],
  ["bash", "copies a file", (call) => ({ command: `[ -e a ] || printf %0140000d 1 > a; cp a b${call}` })],
  [
    "bash",
    "moves a file onto itself",
    () => ({ command: "printf %0140000d 1 >> all; for i in $(seq 9); do mv all all; done" }),
  ],
  [
    "bash",
    "unpacks",
    (call) => ({ command: `[ -e z ] || printf %0140000d 1 | gzip > z; cp z f${call}.gz; gunzip f${call}.gz` }),
  ],
  ["js_exec", "writes files", (call) => ({ code: `fs.writeFileSync("f${call}", "x".repeat(140000))` })],
  ["js_exec", "makes directories", (call) => ({ code: `for (let i = 0; i < 34; i++) fs.mkdirSync("d${call}-" + i)` })],
];

test.each(WAYS)(
  "%s %s in a row until the root's quota is reached, and is told the limit",
  async (...[name, , input]) => {
    const session = stage.session();
    const told: string[] = [];
    for (let call = 0; call < 20 && told.length === 0; call++) {
      const result = await session.run(name, input(call));
      if (FULL.test(text(result))) told.push(text(result));
    }
    expect(told).toHaveLength(1);
    const held = await heldBy(session.root);
    expect(held).toBeLessThanOrEqual(MB);
    expect(held, "and not before").toBeGreaterThan(MB * 0.85);
  },
);

test("in a full root an edit that grows a file is refused, and one that shrinks it works", async () => {
  const session = stage.session();
  await session.run("write", { path: "a.txt", content: `${"x".repeat(900_000)}\nend\n` });
  const grows = await session.run("edit", { path: "a.txt", old_string: "end", new_string: "y".repeat(200_000) });
  expect(text(grows)).toMatch(FULL);
  await session.run("bash", { command: "printf %080000d 1 > b" });
  expect((await session.run("write", { path: "a.txt", content: "small" })).isError).toBe(false);
  expect((await session.run("write", { path: "c.txt", content: "x".repeat(500_000) })).isError).toBe(false);
});

test("deleting files frees quota within the call and for the next one", async () => {
  const session = stage.session();
  const fill = (file: string) => `printf %0230000d 1 > p && cat p p p > ${file} && rm p`;
  const again = `${fill("a")} && rm a && mkdir d && ${fill("d/a")} && rm -r d && ${fill("a")} && echo done`;
  expect(text(await session.run("bash", { command: again }))).toContain("done");
  expect(text(await session.run("bash", { command: fill("b") }))).toMatch(FULL);
  await session.run("bash", { command: "rm -f p b; echo small > c; mv c a" });
  expect(text(await session.run("bash", { command: `${fill("b")} && echo done` }))).toContain("done");
});

test("files added by people count, and their deletions are noticed before a write is refused", async () => {
  const session = stage.session();
  session.put("big/there.bin", Buffer.alloc(950_000));
  const refused = await session.run("write", { path: "a.txt", content: "x".repeat(100_000) });
  expect(text(refused)).toMatch(FULL);
  session.put("big/there.bin", "");
  await stage.clock.advance(11_000);
  expect((await session.run("write", { path: "a.txt", content: "x".repeat(100_000) })).isError).toBe(false);
});

test("concurrent sessions do not exceed the quota together", async () => {
  const root = path.join(tempDirectory(), "shared");
  mkdirSync(root);
  const sessions = Array.from({ length: 6 }, () => stage.session({ root }));
  const write = (one: number) => ({
    code: `for (let i = 0; i < 40; i++) fs.writeFileSync("${one}-" + i, "x".repeat(20000))`,
  });
  const results = await Promise.all(sessions.map((session, one) => session.run("js_exec", write(one))));
  expect(results.map(text).filter((each) => FULL.test(each)).length).toBeGreaterThan(0);
  expect(await heldBy(root)).toBeLessThanOrEqual(MB);
  expect(await heldBy(root)).toBeGreaterThan(MB * 0.9);
});

test("files written by a program that was stopped count", async () => {
  const session = stage.session();
  const code = 'for (let i = 0; i < 9; i++) fs.writeFileSync("f" + i, "x".repeat(100000)); while (true);';
  await session.run("js_exec", { code, timeout: 2 });
  expect(text(await session.run("write", { path: "a.txt", content: "x".repeat(200_000) }))).toMatch(FULL);
});
