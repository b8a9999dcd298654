import { createHash } from "node:crypto";
import { chmodSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();
const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");

test("write replaces the exact content and keeps the file's mode", async () => {
  const session = fileSession(sandbox);
  session.put("run.sh", "a\r\nb\n");
  chmodSync(path.join(session.root, "run.sh"), 0o750);
  await session.run("read", { path: "run.sh" });
  const result = await session.run("write", { path: "run.sh", content: "a\nb\nc" });
  expect(session.bytes("run.sh").toString()).toBe("a\nb\nc");
  expect(statSync(path.join(session.root, "run.sh")).mode & 0o777).toBe(0o750);
  expect(text(result)).toBe("Replaced run.sh (3 lines, +3 −2).");
});

const formed = [
  {
    name: "CRLF",
    file: "a\r\nb\r\n",
    content: "a\nc\n",
    after: "a\r\nc\r\n",
    says: "(2 lines, +1 −1). Its byte order mark",
  },
  { name: "a byte order mark", file: "\uFEFFa\n", content: "a\nb\n", after: "\uFEFFa\nb\n", says: "+1 −0" },
  {
    name: "no other encoding, and says so",
    file: "caf\xe9\n",
    content: "café\n",
    after: "café\n",
    says: "was not UTF-8",
  },
];

test.each(formed)("overwriting a file keeps $name", async ({ file, content, after, says }) => {
  const session = fileSession(sandbox);
  session.put("f.txt", Buffer.from(file, file.includes("\xe9") ? "latin1" : "utf8"));
  await session.run("read", { path: "f.txt" });
  const result = await session.run("write", { path: "f.txt", content });
  expect(text(result)).toContain(says);
  expect(session.bytes("f.txt").toString()).toBe(after);
  expect(result).toMatchObject({ files: [{ sha256: sha256(after) }] });
});

test("writing identical content changes nothing", async () => {
  const session = fileSession(sandbox);
  session.put("f.txt", "same\n");
  await session.run("read", { path: "f.txt" });
  const before = statSync(path.join(session.root, "f.txt"));
  const result = await session.run("write", { path: "f.txt", content: "same\n" });
  expect(result).toMatchObject({ isError: false, summary: "no change" });
  expect(statSync(path.join(session.root, "f.txt")).ino).toBe(before.ino);
  expect(session.intents).toEqual([]);
});
