import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { LINE_BYTES } from "../../../src/adapters/terminal/limits.ts";
import { listenAt, openSocket } from "../../../src/adapters/terminal/socket.ts";
import { createLineReader } from "../../../src/adapters/terminal/wire.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { TerminalHarness } from "./terminal-harness.ts";

test("lines are reassembled however the bytes are split, also within a character", () => {
  const bytes = Buffer.from('{"a":"ä中👩"}\n\n{"b":1}\nrest');
  for (let size = 1; size <= bytes.length; size += 1) {
    const lines: string[] = [];
    const read = createLineReader(100, (line) => lines.push(line));
    for (let at = 0; at < bytes.length; at += size) expect(read(bytes.subarray(at, at + size))).toBe(true);
    expect(lines).toEqual(['{"a":"ä中👩"}', '{"b":1}']);
  }
});

test("the buffer of an unterminated line is bounded", () => {
  const read = createLineReader(10, () => {});
  expect(read(Buffer.from("12345\n12345"))).toBe(true);
  expect(read(Buffer.from("123456"))).toBe(false);
});

test("a terminal that sends an endless line is disconnected without affecting others", async () => {
  await using harness = new TerminalHarness();
  await harness.platform.start(() => Promise.resolve({ type: "accepted" }), new AbortController().signal);
  const hostile = await openSocket(path.join(harness.home, "chat.sock"));
  if (hostile === null) throw new Error("nobody listens");
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  hostile.on("close", () => resolve()).on("error", () => {});
  hostile.write("x".repeat(LINE_BYTES + 1));
  await closed;
  await (await harness.mention("still here?")).answered;
});

test.each([
  { name: "a path that is too long for a socket", file: `${"d".repeat(120)}/chat.sock`, why: /too long/u },
  { name: "a directory that is not there", file: "nowhere/chat.sock", why: /ENOENT|EACCES/u },
])("$name is reported and does not end the program", async ({ file, why }) => {
  const listening = await listenAt(path.join(tempDirectory(), file), () => {});
  expect(listening).toMatchObject({ type: "not", why: expect.stringMatching(why) });
});

test("a stale file at the socket's path is removed; a socket in use is not", async () => {
  const file = path.join(tempDirectory(), "chat.sock");
  writeFileSync(file, "left over");
  const first = await listenAt(file, () => {});
  if (first.type !== "listening") throw new Error(first.why);
  onTestFinished(() => void first.server.close());
  expect(await listenAt(file, () => {})).toMatchObject({
    type: "not",
    why: expect.stringContaining("another process"),
  });
});
