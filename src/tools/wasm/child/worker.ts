import { Buffer } from "node:buffer";
import { getActiveResourcesInfo } from "node:process";
import { setImmediate as endOfTurn, setTimeout as pause } from "node:timers/promises";
import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { DefectError } from "../../../core/protocol/errors.ts";
import { type GuestAnswer, guestAnswerSchema } from "../../network/guest-answer.ts";
import { type QuotaAllowance, quotaMeterOf, UNBOUNDED } from "../../quotas/quota-meter.ts";
import { createFilesImport } from "../wasi/files-import.ts";
import { createWasi, type Wasi } from "../wasi/wasi.ts";
import type { FileChange } from "../workspace/kept-content.ts";
import { createWorkspace, type Workspace } from "../workspace/workspace.ts";
import { type Fence, passFence } from "./fence.ts";
import { boundedAsk, createHttpImport } from "./http-import.ts";
import { ImagedMemory } from "./memory-image.ts";
import type { FromWorker, GuestInput, Outcome, RunMessage } from "./messages.ts";
import type { CompiledGuest } from "./modules.ts";
import { type Printed, print, printLine } from "./printed.ts";
import { createZones } from "./zones.ts";

/** A call as the pool hands it over. `compiled` is sent with a guest's first call to this worker. */
export interface WorkerCall {
  readonly guestKey: string;
  readonly compiled: CompiledGuest | null;
  readonly input: GuestInput;
  readonly capability: RunMessage["capability"];
  /** 1 once a person has stopped the call. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  readonly printed: Printed;
  /** Limits of what the call may write; null if there are none. */
  readonly allowance: QuotaAllowance | null;
  /** Fence that each change must pass; null if there is none. */
  readonly fence: Fence | null;
}

type InstantiateCore = (module: WebAssembly.Module, imports?: object) => Promise<WebAssembly.Instance>;

/** The part of jco's bindings that is used. The component's stray `init` export is never called. */
interface Bindings {
  instantiate(
    module: (name: string) => WebAssembly.Module | undefined,
    imports: Readonly<Record<string, object>>,
    instantiateCore: InstantiateCore,
  ): Promise<Exports>;
}

/**
 * A guest exports one of the first two (wasm/wit/sandbox.wit); a third party's component exports `tool`, `run` or both.
 */
interface Exports {
  readonly tool?: { invoke(input: string): string };
  readonly process?: {
    start(input: string): Promise<void>;
    step(): Promise<{ tag: "done"; val: string } | { tag: "idle"; val: number }>;
  };
  readonly run?: { run(): void };
}

interface Instance {
  /** Whether the guest may read the clock and fetch; neither is allowed before its call. */
  readonly granted: { clock: boolean; fetch: boolean; call: WorkerCall | null };
  readonly workspace: Workspace;
  readonly wasi: Wasi;
  readonly exports: Exports;
  /** Null if the instance has made its own memory. */
  readonly memory: WebAssembly.Memory | null;
}

interface Guest {
  readonly instantiate: () => Promise<Instance>;
  /** Null for a third party's component, whose start functions may run only within the time of a call. */
  readonly memory: ImagedMemory | null;
  /** An instance that has run nothing, made in advance. */
  spare: Promise<Instance> | null;
}

const guests = new Map<string, Guest>();
const zone = createZones();

async function guestOf({ guestKey, compiled }: WorkerCall): Promise<Guest> {
  const known = guests.get(guestKey);
  if (known !== undefined) return known;
  if (compiled === null) throw new DefectError(`${guestKey} has not been handed over`);
  const { image, modules, url } = compiled;
  const memory = image === null ? null : new ImagedMemory(image);
  const guest = { instantiate: instantiator(await import(url), modules, memory), memory, spare: null };
  guests.set(guestKey, guest);
  return guest;
}

function instantiator(
  bindings: Bindings,
  modules: CompiledGuest["modules"],
  memories: ImagedMemory | null,
): () => Promise<Instance> {
  return async () => {
    const memory = memories?.take() ?? null;
    const workspace = createWorkspace();
    const granted: Instance["granted"] = { clock: false, fetch: false, call: null };
    const ask = boundedAsk((request) => (granted.fetch ? askBot(request) : NOT_YET));
    const printed = (bytes: Uint8Array): void => {
      if (granted.call !== null) print(granted.call.printed, bytes);
    };
    const wasi = createWasi(workspace.filesystem, ask, printed);
    const http = createHttpImport(ask);
    const imports = {
      "deckhand:sandbox/workspace": workspace.functions,
      "deckhand:sandbox/filesystem": workspace.filesystem,
      "deckhand:sandbox/clock": {
        now: () => (granted.clock ? Date.now() : 0),
        zone,
        stopped: () => granted.call !== null && Atomics.load(granted.call.stop, 0) === 1,
      },
      "deckhand:sandbox/console": {
        print: (line: string) => {
          if (granted.call !== null) printLine(granted.call.printed, line);
        },
      },
      "deckhand:sandbox/http": http,
      "deckhand:extension/files": createFilesImport(workspace),
      "deckhand:extension/http": http,
      ...wasi.imports,
    };
    const exports = await bindings.instantiate((name) => modules[name], imports, inMemory(memory));
    return { granted, workspace, wasi, exports, memory };
  };
}

function inMemory(memory: WebAssembly.Memory | null): InstantiateCore {
  return (module, imports) =>
    WebAssembly.instantiate(module, memory === null ? imports : { ...imports, deckhand: { memory } });
}

/** Runs a call in a fresh instance, so that no state remains for the next call and a trap damages nothing. */
async function run(instance: Instance, call: WorkerCall): Promise<Outcome> {
  const { capability, allowance, fence } = call;
  const { granted, workspace } = instance;
  try {
    granted.clock = capability.clock;
    granted.fetch = true; // the bot knows the hosts
    granted.call = call;
    workspace.bind(capability, {
      changed: changeTeller(),
      quota: allowance === null ? UNBOUNDED : quotaMeterOf(allowance),
      ...(fence !== null && { passFence: () => passFence(fence) }),
    });
    const output = await outputOf(instance, call);
    if (Buffer.byteLength(output) > capability.outputBytes) return { type: "limit", limit: "output" };
    return { type: "ok", output };
  } catch (error) {
    return failure(error);
  } finally {
    workspace.close();
  }
}

async function outputOf({ wasi, exports }: Instance, { input, capability }: WorkerCall): Promise<string> {
  const { tool, process, run } = exports;
  if (typeof input !== "string") {
    if (run === undefined) throw new DefectError("the component exports no run");
    return wasi.run(run, input, capability);
  }
  if (tool !== undefined) return tool.invoke(input);
  if (process === undefined) throw new DefectError("the guest exports neither a tool nor a process");
  await process.start(input);
  for (;;) {
    const progress = await process.step();
    if (progress.tag === "done") return progress.val;
    if (progress.val > 0) await pause(progress.val);
  }
}

/** Reports each changed file once per call. */
function changeTeller(): (files: readonly FileChange[]) => void {
  const told = new Set<string>();
  return (files) => {
    const fresh = files.filter(({ path }) => !told.has(path));
    for (const { path } of fresh) told.add(path);
    if (fresh.length > 0) report({ type: "changed", files: fresh });
  };
}

function report(news: FromWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, not a window
  parentPort?.postMessage(news);
}

const NOT_YET: GuestAnswer = { type: "refused", sentence: "There is no network before a call." };

/** Sleeps until the bot has answered. Ending the call ends the sleeping worker. */
function askBot(request: string): GuestAnswer {
  const bell = new Int32Array(new SharedArrayBuffer(4));
  report({ type: "fetch", request, bell });
  Atomics.wait(bell, 0, 0);
  const received = parentPort === null ? undefined : receiveMessageOnPort(parentPort);
  return guestAnswerSchema.parse(received?.message);
}

/** The message of a guest's error is its text. */
function failure(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  if (/maximum call stack size/i.test(message)) return { type: "limit", limit: "stack" };
  return /out of memory/i.test(message) ? { type: "limit", limit: "memory" } : { type: "failed", message };
}

/** Answers the call, then prepares the instance for the next one. An error here ends the worker. */
async function serve(call: WorkerCall): Promise<void> {
  const guest = await guestOf(call);
  const instance = await (guest.spare ?? guest.instantiate());
  guest.spare = null;
  const outcome = await run(instance, call);
  report(outcome);
  if (guest.memory === null) return;
  guest.spare = nextInstance(guest, guest.memory, outcome.type === "ok" ? instance.memory : null);
  await guest.spare;
}

/** Prepares an instance, in the memory of the previous one if that has ended and can never run again. */
async function nextInstance(guest: Guest, memories: ImagedMemory, left: WebAssembly.Memory | null): Promise<Instance> {
  await endOfTurn(); // lets its bindings finish
  if (left !== null && !hasTimers()) memories.leave(left);
  return guest.instantiate();
}

/** True if the bindings still wait for a timer; the worker itself has none between calls. */
function hasTimers(): boolean {
  return getActiveResourcesInfo().some((name) => name === "Timeout" || name === "Immediate");
}

parentPort?.on("message", (call: WorkerCall) => {
  serve(call).catch((error: unknown) => {
    throw error;
  });
});
