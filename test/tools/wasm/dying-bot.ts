/** A bot with a guest that loops: says the sandbox process's id and waits to be killed. */
import { tmpdir } from "node:os";
import { createSandbox } from "../../../src/tools/wasm/sandbox.ts";

const sandbox = createSandbox();
const grant = { root: tmpdir(), writable: false, clock: true, timeoutMs: 60_000, memoryMb: 32, outputBytes: 1_000 };
const caller = { sessionId: "s", channelKey: "c", signal: new AbortController().signal, queued: () => {} };
const input = (code: string): string => JSON.stringify({ code, file: null, maxChars: 100, overflow: "out", seed: 1 });
await sandbox.call("js", input("1"), grant, caller);
const loop = sandbox.call("js", input("for (;;) {}"), grant, caller);
process.send?.(sandbox.pid());
await loop;
