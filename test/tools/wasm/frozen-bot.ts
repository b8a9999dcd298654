/** A replica that knows for half a second at a time that it counts as alive, with a guest that keeps writing. */
import { createSandbox } from "../../../src/tools/wasm/sandbox.ts";

const [root = ""] = process.argv.slice(2);
const CERTAIN_MS = 500;

let saidAt = 0;
const beat = () => {
  saidAt = Date.now();
};
beat();
setInterval(beat, 50);
const sandbox = createSandbox({
  lock: () =>
    Promise.resolve({
      validForMs: () => Math.max(0, CERTAIN_MS - (Date.now() - saidAt)),
      requireHeld: () => Promise.resolve(),
      [Symbol.dispose]: () => undefined,
    }),
});
const grant = { root, writable: true, clock: true, timeoutMs: 60_000, memoryMb: 256, outputBytes: 100_000 };
const caller = { sessionId: "s", channelKey: "c", signal: new AbortController().signal, queued: () => {} };
const shell = {
  cwd: "",
  env: {},
  timeoutMs: 60_000,
  maxChars: 100,
  overflow: "out",
  seed: 1,
  bound: null,
  looks: false,
};
const command = "while true; do echo x >> log; sleep 0.05; done";
await sandbox.call("bash", JSON.stringify({ ...shell, command }), grant, caller);
