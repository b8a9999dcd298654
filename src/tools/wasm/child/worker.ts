import { Buffer } from "node:buffer";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, receiveMessageOnPort } from "node:worker_threads";
import { DefectError } from "../../../core/protocol/errors.ts";
import { type GuestAnswer, guestAnswerSchema } from "../../network/guest-answer.ts";
import { growthOf, type Purse, UNBOUNDED } from "../../quotas/growth.ts";
import { createFilesImport } from "../wasi/files-import.ts";
import { createWasi, type Wasi } from "../wasi/wasi.ts";
import type { FileChange } from "../workspace/kept-content.ts";
import { createWorkspace, type Workspace } from "../workspace/workspace.ts";
import { type Fence, passFence } from "./fence.ts";
import { boundedAsk, createHttpImport } from "./http-import.ts";
import type { FromWorker, GuestInput, Outcome, RunMessage } from "./messages.ts";
import type { CompiledGuest } from "./modules.ts";
import { type Printed, print, printLine } from "./printed.ts";

/** A call as the pool hands it over. `compiled` comes with the first call of a guest to this worker. */
export interface WorkerCall {
  readonly guestKey: string;
  readonly compiled: CompiledGuest | null;
  readonly input: GuestInput;
  readonly capability: RunMessage["capability"];
  /** 1 once a person has stopped the call. */
  readonly stop: Int32Array<SharedArrayBuffer>;
  readonly printed: Printed;
  /** What it may write; null: what it likes. */
  readonly purse: Purse | null;
  /** What each change waits at; null: at nothing. */
  readonly fence: Fence | null;
}

/** The part of jco's bindings that is used. The component's stray `init` export is never called. */
interface Bindings {
  instantiate(
    module: (name: string) => WebAssembly.Module | undefined,
    imports: Readonly<Record<string, object>>,
  ): Promise<Exports>;
}

/** A guest exports one of the first two (wasm/wit/sandbox.wit), a third party's component `tool`, `run` or both. */
interface Exports {
  readonly tool?: { invoke(input: string): string };
  readonly process?: {
    start(input: string): Promise<void>;
    step(): Promise<{ tag: "done"; val: string } | { tag: "idle"; val: number }>;
  };
  readonly run?: { run(): void };
}

interface Instance {
  /** Whether the guest may know the time, and ask to fetch; nothing may before its call. */
  readonly granted: { clock: boolean; fetch: boolean; call: WorkerCall | null };
  readonly workspace: Workspace;
  readonly wasi: Wasi;
  readonly exports: Exports;
}

interface Guest {
  readonly instantiate: () => Promise<Instance>;
  /** False for a stranger's component: its start functions run within the time of a call only. */
  readonly isOwn: boolean;
  /** An instance that nothing has run in, made while nobody waited. */
  spare: Promise<Instance> | null;
}

const guests = new Map<string, Guest>();

async function guestOf({ guestKey, compiled }: WorkerCall): Promise<Guest> {
  const known = guests.get(guestKey);
  if (known !== undefined) return known;
  if (compiled === null) throw new DefectError(`${guestKey} has not been handed over`);
  const { isOwn, modules, url } = compiled;
  const guest = { instantiate: instantiator(await import(url), modules), isOwn, spare: null };
  guests.set(guestKey, guest);
  return guest;
}

function instantiator(bindings: Bindings, modules: CompiledGuest["modules"]): () => Promise<Instance> {
  return async () => {
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
    return { granted, workspace, wasi, exports: await bindings.instantiate((name) => modules[name], imports) };
  };
}

/** A fresh instance per call: nothing of one call is there in the next, and a trap spoils nothing. */
async function run(guest: Guest, call: WorkerCall): Promise<Outcome> {
  const { capability, purse, fence } = call;
  const instance = await (guest.spare ?? guest.instantiate());
  const { granted, workspace } = instance;
  guest.spare = null;
  try {
    granted.clock = capability.clock;
    granted.fetch = true; // the bot knows the hosts
    granted.call = call;
    workspace.bind(capability, {
      changed: changeTeller(),
      growth: purse === null ? UNBOUNDED : growthOf(purse),
      ...(fence !== null && { pass: () => passFence(fence) }),
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

/** Tells of each file once per call. */
function changeTeller(): (files: readonly FileChange[]) => void {
  const told = new Set<string>();
  return (files) => {
    const fresh = files.filter(({ path }) => !told.has(path));
    for (const { path } of fresh) told.add(path);
    if (fresh.length > 0) tell({ type: "changed", files: fresh });
  };
}

function tell(news: FromWorker): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port, not a window
  parentPort?.postMessage(news);
}

const NOT_YET: GuestAnswer = { type: "refused", sentence: "There is no network before a call." };

/** Sleeps until the bot has answered. Who ends the call ends the sleeping worker. */
function askBot(request: string): GuestAnswer {
  const bell = new Int32Array(new SharedArrayBuffer(4));
  tell({ type: "fetch", request, bell });
  Atomics.wait(bell, 0, 0);
  const received = parentPort === null ? undefined : receiveMessageOnPort(parentPort);
  return guestAnswerSchema.parse(received?.message);
}

/** The message of a guest's error is its text. */
function failure(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  return /out of memory/i.test(message) ? { type: "limit", limit: "memory" } : { type: "failed", message };
}

/** Answers the call, then makes the instance for the next one. What fails here ends the worker. */
async function serve(call: WorkerCall): Promise<void> {
  const guest = await guestOf(call);
  tell(await run(guest, call));
  if (!guest.isOwn) return;
  guest.spare = guest.instantiate();
  await guest.spare;
}

parentPort?.on("message", (call: WorkerCall) => {
  serve(call).catch((error: unknown) => {
    throw error;
  });
});
