import { expect, test } from "vitest";
import { createTerminalPlatform } from "../../../src/adapters/terminal/adapter.ts";
import { socketPath } from "../../../src/adapters/terminal/socket.ts";
import { KeyedMutex } from "../../../src/core/keyed-mutex.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { Inbox } from "../../contracts/inbox.ts";
import { platformContract } from "../../contracts/platform.ts";
import { CountingLog } from "../../support/counting-log.ts";
import { MemoryThreadStore } from "../../support/database/memory-thread-store.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { TerminalClient } from "./terminal-client.ts";
import { TerminalHarness } from "./terminal-harness.ts";

platformContract("the terminal", () => Promise.resolve(new TerminalHarness()), {
  answersMessages: true,
  mentions: false,
  dms: "none",
  quotes: false,
  credentials: false,
});

test("during a database outage connected terminals get no message, and new ones are disconnected", async () => {
  const [home, store, log, ending] = [
    tempDirectory(),
    new MemoryThreadStore(),
    new CountingLog(),
    new AbortController(),
  ];
  const own = { home, store, log, writes: new KeyedMutex(), commands: [] };
  const platform = createTerminalPlatform({ ...systemRuntime(), ...own });
  const busyThreads = () => Promise.reject(new Error("the database is away"));
  platform.provide({ summaries: { busyThreads }, cluster: onlyProcess({ ...systemRuntime(), log }) });
  await platform.start(new Inbox().receive, ending.signal);
  try {
    const terminal = await TerminalClient.open(socketPath(home));
    terminal.say({ type: "look", threadId: "t" });
    terminal.say({ type: "open", threadId: "t", before: null });
    await terminal.next("thread");
    expect(terminal.frames.map(({ type }) => type)).toEqual(["welcome", "thread"]);
    store.threads = busyThreads;
    terminal.say({ type: "hello", seq: null });
    await expect.poll(() => terminal.isOpen).toBe(false);
  } finally {
    await platform.stop();
  }
});
