import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();
const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");

const shown = [
  { name: "lines with their numbers", content: "a\nb\n", input: {}, says: "1\ta\n2\tb", summary: "2 lines" },
  { name: "a last line without line end", content: "a\nb", input: {}, says: "1\ta\n2\tb", summary: "2 lines" },
  { name: "CRLF lines without their ends", content: "a\r\nb\r\n", input: {}, says: "1\ta\n2\tb", summary: "2 lines" },
  { name: "no byte order mark", content: "\uFEFFa\n", input: {}, says: "1\ta", summary: "1 line" },
  { name: "empty lines", content: "\n\n", input: {}, says: "1\t\n2\t", summary: "2 lines" },
  { name: "that it is empty", content: "", input: {}, says: "f.txt is empty.", summary: "empty" },
  { name: "UTF-8", content: "žluťoučký 🐴\n", input: {}, says: "1\tžluťoučký 🐴", summary: "1 line" },
  {
    name: "a window and how to go on",
    content: "a\nb\nc\nd\n",
    input: { offset: 2, limit: 2 },
    says: "2\tb\n3\tc\n[Lines 2–3 of 4. Continue with offset 4.]",
    summary: "2 lines",
  },
  {
    name: "the end of a window without a note",
    content: "a\nb\n",
    input: { offset: 2 },
    says: "2\tb",
    summary: "1 line",
  },
  {
    name: "the beginning of a long line",
    content: `${"x".repeat(2_500)}\n`,
    input: {},
    says: `1\t${"x".repeat(2_000)}… [500 more characters]`,
    summary: "1 line",
  },
];

test.each(shown)("read shows $name", async ({ content, input, says, summary }) => {
  const session = fileSession(sandbox);
  session.put("f.txt", content);
  const result = await session.run("read", { path: "f.txt", ...input });
  expect(text(result)).toBe(says);
  expect(result).toMatchObject({ isError: false, summary });
});

test("read cuts a long result at a line, and names the next offset", async () => {
  const session = fileSession(sandbox);
  session.put("long.txt", `${"y".repeat(99)}\n`.repeat(2_000));
  const first = text(await session.run("read", { path: "long.txt" }));
  const next = Number(/Continue with offset (\d+)/.exec(first)?.[1]);
  expect(first.length).toBeLessThan(41_000);
  expect(first).toContain(`[Lines 1–${next - 1} of 2000.`);
  expect(text(await session.run("read", { path: "long.txt", offset: next }))).toMatch(new RegExp(`^${next}\ty`));
});

test("read finds lines in a file much larger than a guest's memory", async () => {
  const session = fileSession(sandbox);
  session.put("huge.log", Buffer.alloc(150_000_000, "0123456789abcde\n"));
  const result = await session.run("read", { path: "huge.log", offset: 9_000_000, limit: 1 });
  expect(text(result)).toBe(
    "9000000\t0123456789abcde\n[Lines 9000000–9000000 of 9375000. Continue with offset 9000001.]",
  );
});

const refused = [
  { name: "a missing file", file: "other.txt", content: "", says: "f.txt does not exist" },
  { name: "a binary file", file: "f.txt", content: Buffer.from([1, 0, 2, 0]), says: "binary file (4 bytes)" },
  { name: "a position behind the end", file: "f.txt", content: "a\n", says: "has 1 lines", input: { offset: 5 } },
  {
    name: "too large an image",
    file: "f.txt",
    content: Buffer.concat([PNG, Buffer.alloc(4_000_000)]),
    says: "too large",
  },
];

test.each(refused)("read refuses $name", async ({ file, content, says, input }) => {
  const session = fileSession(sandbox);
  session.put(file, content);
  const result = await session.run("read", { path: "f.txt", ...input });
  expect(result.isError).toBe(true);
  expect(text(result)).toContain(says);
  expect(session.known.size).toBe(0);
});

test("read refers to glob for a directory", async () => {
  const session = fileSession(sandbox);
  mkdirSync(path.join(session.root, "src"));
  expect(text(await session.run("read", { path: "src" }))).toBe('src is a directory. List it with glob, e.g. "src/*".');
});

test("read and grep decode UTF-16 with a byte order mark, and find secrets in it", async () => {
  const session = fileSession(sandbox);
  const utf16 = (said: string) => Buffer.from(`\uFEFF${said}`, "utf16le");
  session.put("le.log", utf16("one\r\ntwo žluť\r\n"));
  session.put("be.log", utf16("one\ntwo žluť").swap16());
  session.put("token.txt", utf16(`two ${["xoxb", "123456789", "abcdefghijkl"].join("-")}`));
  for (const file of ["le.log", "be.log"])
    expect(text(await session.run("read", { path: file })), file).toBe("1\tone\n2\ttwo žluť");
  expect(session.known.get("le.log")).toBe(createHash("sha256").update(session.bytes("le.log")).digest("hex"));
  expect(text(await session.run("grep", { pattern: "two", output_mode: "content" }))).toBe(
    "be.log:2:two žluť\nle.log:2:two žluť\n[Files not searched, because they are above 8 MB or look like secrets: 1.]",
  );
  expect((await session.run("read", { path: "token.txt" })).isError).toBe(true);
  const edited = await session.run("edit", { path: "le.log", old_string: "one", new_string: "1" });
  expect(text(edited)).toContain("is UTF-16");
});

test("read says when bytes are not UTF-8", async () => {
  const session = fileSession(sandbox);
  session.put("latin.txt", Buffer.from("caf\xe9 cr\xe8me\n", "latin1"));
  expect(text(await session.run("read", { path: "latin.txt" }))).toBe(
    "1\tcaf\uFFFD cr\uFFFDme\n[Not valid UTF-8: undecodable bytes are shown as \uFFFD, and edit refuses the file.]",
  );
});

const media = [
  { name: "PNG", bytes: PNG, mediaType: "image/png", type: "image" },
  { name: "JPEG", bytes: Buffer.from("ffd8ffe000104a464946", "hex"), mediaType: "image/jpeg", type: "image" },
  { name: "GIF", bytes: Buffer.from("GIF89a\x01\0\x01\0", "latin1"), mediaType: "image/gif", type: "image" },
  { name: "WebP", bytes: Buffer.from("RIFF\x1a\0\0\0WEBPVP8L", "latin1"), mediaType: "image/webp", type: "image" },
];

test.each(media)("read recognises $name by its content, whatever its name", async ({ bytes, mediaType, type }) => {
  const session = fileSession(sandbox);
  session.put("a/picture.dat", bytes);
  const result = await session.run("read", { path: "a/picture.dat" });
  expect(result.content[1]).toEqual({ type, mediaType, name: "picture.dat", data: bytes.toString("base64") });
});

test.each(["./a/../a/f.txt", "a//f.txt", "<root>/a/f.txt"])("read resolves %s to a/f.txt", async (asked) => {
  const session = fileSession(sandbox);
  session.put("a/f.txt", "here\n");
  const result = await session.run("read", { path: asked.replace("<root>", session.root) });
  expect(text(result)).toBe("1\there");
  expect(result.files).toMatchObject([{ path: "a/f.txt", action: "read" }]);
});
