import { duplexPair, PassThrough } from "node:stream";
import { expect, onTestFinished, test, vi } from "vitest";
import { createTerminalPlatform } from "../../../../src/adapters/terminal/adapter.ts";
import type { ChatIo } from "../../../../src/adapters/terminal/client/chat.ts";
import { askOnce } from "../../../../src/adapters/terminal/client/one-shot.ts";
import { KeyedMutex } from "../../../../src/core/keyed-mutex.ts";
import { onlyProcess } from "../../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { FaultyThreadStore } from "../../../support/database/faulty-thread-store.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";

/** Asks a bot whose answer meets a fault of the database; resolves to the exit code and what was printed. */
async function askDespite(fault: FaultyThreadStore["nextPost"]) {
  const runtime = systemRuntime();
  const store = new FaultyThreadStore();
  const own = { home: tempDirectory(), store, log: silentLog, writes: new KeyedMutex(), commands: [] };
  const platform = createTerminalPlatform({ ...runtime, ...own });
  const cluster = onlyProcess({ ...runtime, log: silentLog });
  platform.provide({ summaries: { busyThreads: () => Promise.resolve(new Map()) }, cluster });
  const answer = { lane: "answer", markdown: "Here it is.", tone: "plain", buttons: [], files: [] } as const;
  await platform.start(async (event) => {
    store.nextPost = fault;
    if (event.kind === "message") {
      await expect(platform.post(event.thread, answer, `${event.messageId}:answer`)).rejects.toThrow();
    }
    return { type: "accepted" };
  }, new AbortController().signal);
  onTestFinished(() => platform.stop());
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const [here, there] = duplexPair();
  platform.attach(there);
  const io: ChatIo = { stdin, stdout, stderr, hasColour: false, onSignal: () => undefined };
  const request = { prompt: "hello", agent: null, continues: false, files: [], saveTo: null };
  // What takes too long for a person is passed in the time that the terminal reads.
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 1_500));
  onTestFinished(() => void vi.restoreAllMocks());
  const code = await askOnce({ request, io, reach: () => Promise.resolve(here) });
  return { code, answer: String(stdout.read() ?? ""), aside: String(stderr.read() ?? "") };
}

test("an answer that was stored without being announced is read before the terminal gives up", async () => {
  expect(await askDespite("loses_response")).toEqual({ code: 0, answer: "Here it is.\n", aside: "" });
});

test("a request without any answer ends with a line that says where to look", async () => {
  const { code, answer, aside } = await askDespite("fails");
  expect({ code, answer }).toEqual({ code: 1, answer: "" });
  expect(aside).toContain("✗ No answer arrived. Look for it with: deckhand chat --continue");
});
