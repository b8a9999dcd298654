import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { duplexPair, PassThrough } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { createTerminalPlatform } from "../../../../src/adapters/terminal/adapter.ts";
import { fileToAttach, pathCompletions } from "../../../../src/adapters/terminal/client/attached-file.ts";
import type { ChatIo } from "../../../../src/adapters/terminal/client/chat.ts";
import { converse } from "../../../../src/adapters/terminal/client/interactive.ts";
import { askOnce } from "../../../../src/adapters/terminal/client/one-shot.ts";
import { KeyedMutex } from "../../../../src/core/keyed-mutex.ts";
import type { OutgoingFile } from "../../../../src/core/platform/outgoing.ts";
import { onlyProcess } from "../../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { MemoryThreadStore } from "../../../support/database/memory-thread-store.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";

const REPORT = { name: "report.md", mediaType: "text/markdown", data: Buffer.from("# All well\n") };

/** A terminal at a bot that answers each message with the files. */
async function terminalWith(files: readonly OutgoingFile[], store = new MemoryThreadStore()) {
  const runtime = systemRuntime();
  const own = { home: tempDirectory(), store, log: silentLog, writes: new KeyedMutex(), commands: [] };
  const platform = createTerminalPlatform({ ...runtime, ...own });
  const cluster = onlyProcess({ ...runtime, log: silentLog });
  platform.provide({ summaries: { busyThreads: () => Promise.resolve(new Map()) }, cluster });
  const answer = { lane: "answer", markdown: "Here it is.", tone: "plain", buttons: [], files } as const;
  const received: string[] = [];
  await platform.start(async (event) => {
    if (event.kind === "message") received.push(`${event.text}: ${event.attachments.map(({ name }) => name).join()}`);
    if (event.kind === "message") await platform.post(event.thread, answer, `${event.messageId}:answer`);
    return { type: "accepted" };
  }, new AbortController().signal);
  onTestFinished(() => platform.stop());
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const written: string[] = [];
  for (const stream of [stdout, stderr]) stream.on("data", (data: Buffer) => written.push(data.toString()));
  const io: ChatIo = { stdin, stdout, stderr, hasColour: false, onSignal: () => undefined };
  const begin = (prompt: string | null, saveTo: string | null, attached: readonly OutgoingFile[] = []) => {
    const request = { prompt, agent: null, continues: false, files: attached, saveTo };
    const reach = () => {
      const [here, there] = duplexPair();
      platform.attach(there);
      return Promise.resolve(here);
    };
    return (prompt === null ? converse : askOnce)({ request, io, reach });
  };
  return { begin, stdin, written: () => written.join(""), received };
}

test("the files of one answer are saved in the given directory, beside those that are there", async () => {
  const directory = tempDirectory();
  writeFileSync(path.join(directory, "report.md"), "mine");
  const odd = { ...REPORT, name: "../../.profile" };
  const { begin, written } = await terminalWith([REPORT, odd]);
  expect(await begin("hello", directory)).toBe(0);
  expect(readdirSync(directory).sort()).toEqual(["_.._.profile", "report-2.md", "report.md"]);
  expect(readFileSync(path.join(directory, "report.md"), "utf8")).toBe("mine");
  expect(readFileSync(path.join(directory, "report-2.md"), "utf8")).toBe("# All well\n");
  expect(written()).toContain(`▤ ${path.join(directory, "report-2.md")} · 1 KB`);
});

test("without a directory one answer's files are named, with how to get them", async () => {
  const { begin, written } = await terminalWith([REPORT]);
  expect(await begin("hello", null)).toBe(0);
  expect(written()).toContain("▤ report.md · 1 KB · save it with --save <directory>\n");
});

test("a file that cannot be saved is an error", async () => {
  const directory = path.join(tempDirectory(), "missing");
  const { begin, written } = await terminalWith([REPORT]);
  expect(await begin("hello", directory)).toBe(1);
  expect(written()).toContain(`✗ report.md cannot be saved in ${directory} (ENOENT).`);
});

test("a file that the bot no longer has is an error", async () => {
  const store = new MemoryThreadStore();
  store.file = () => Promise.resolve(null);
  const { begin, written } = await terminalWith([REPORT], store);
  expect(await begin("hello", tempDirectory())).toBe(1);
  expect(written()).toContain("✗ report.md could not be read from the bot.");
});

test("in a conversation /save saves the newest message's files, or the named one", async () => {
  const directory = tempDirectory();
  const { begin, stdin, written } = await terminalWith([REPORT]);
  const ended = begin(null, directory);
  await expect.poll(written).toContain("Tell me what you want done");
  stdin.write("/save\n");
  await expect.poll(written).toContain("There are no files to save.");
  stdin.write("hello\n");
  await expect.poll(written).toContain(`/save saves it in ${directory}.`);
  stdin.write("/save other.md\n");
  await expect.poll(written).toContain("There is no file other.md.");
  stdin.write("/save\n");
  await expect.poll(written).toContain(`▤ ${path.join(directory, "report.md")} · 1 KB`);
  stdin.write("/save report.md\n");
  await expect.poll(written).toContain(`▤ ${path.join(directory, "report-2.md")} · 1 KB`);
  stdin.end();
  expect(await ended).toBe(0);
  expect(readFileSync(path.join(directory, "report-2.md"), "utf8")).toBe("# All well\n");
});

test("in a conversation /attach adds files to the next message, which commands do not take", async () => {
  const directory = tempDirectory();
  writeFileSync(path.join(directory, "my plan.md"), "# Plan\n");
  const { begin, stdin, written, received } = await terminalWith([]);
  const ended = begin(null, null, [REPORT]);
  await expect.poll(written).toContain("With your next message: report.md (11 bytes).");
  stdin.write("/attach\n");
  await expect.poll(written).toContain("✗ Name a file, as in /attach report.pdf.");
  stdin.write(`/attach ${directory}/none.md\n/attach ${directory}\n`);
  await expect.poll(written).toContain(`✗ There is no file ${directory}/none.md.`);
  await expect.poll(written).toContain(`✗ ${directory} is a directory.`);
  stdin.write(`/attach ${directory}/my\\ plan.md\n`);
  await expect.poll(written).toContain("With your next message: report.md (11 bytes), my plan.md (7 bytes).");
  stdin.write("/status\nread them\nagain\n");
  await expect.poll(() => received).toEqual(["/status: ", "read them: report.md,my plan.md", "again: "]);
  stdin.end();
  expect(await ended).toBe(0);
});

test.each([
  { of: "in quotes", typed: (file: string) => `"${file}"` },
  { of: "with backslashes", typed: (file: string) => file.replaceAll(" ", "\\ ") },
  { of: "as it is", typed: (file: string) => file },
])("a path $of is attached", async ({ typed }) => {
  const file = path.join(tempDirectory(), "a b.bin");
  writeFileSync(file, Buffer.of(1, 0, 255));
  expect(await fileToAttach(typed(file), 10)).toEqual({
    name: "a b.bin",
    mediaType: "application/octet-stream",
    data: Buffer.of(1, 0, 255),
  });
  expect(await fileToAttach(typed(file), 2)).toContain("is larger than");
});

test("a file that never ends is not read to its end", async () => {
  expect(await fileToAttach("/dev/zero", 1_000)).toMatch(/^✗ \/dev\/zero is larger than/);
});

test("the paths of files to attach are completed", async () => {
  const directory = tempDirectory();
  for (const name of ["plan.md", "plot.png", ".plan"]) writeFileSync(path.join(directory, name), "");
  mkdirSync(path.join(directory, "places"));
  const completed = async (typed: string) => (await pathCompletions(`${directory}/${typed}`)).sort();
  expect(await completed("pl")).toEqual(["places/", "plan.md", "plot.png"].map((name) => `${directory}/${name}`));
  expect(await completed("plan")).toEqual([`${directory}/plan.md`]);
  expect(await completed("")).toHaveLength(3);
  expect(await completed("none/")).toEqual([]);
});
