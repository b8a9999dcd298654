import { Worker } from "node:worker_threads";
import type { FileChange } from "../workspace/kept-content.ts";
import type { Outcome, RunMessage } from "./messages.ts";
import { fromWorkerSchema } from "./messages.ts";
import type { CompiledGuest } from "./modules.ts";
import type { WorkerCall } from "./worker.ts";

/** Workers that stay when nothing runs: the next calls need not wait for a start. */
const IDLE_WORKERS = 2;

/** Megabytes of a worker's own heap, where the host's side of a guest lives. */
const HEAP_MB = 256;

type Compile = (guest: string, memoryMb: number) => Promise<CompiledGuest>;

/** Learns which files a call changes, while it runs. */
type Changed = (files: readonly FileChange[]) => void;

export interface Pool {
  /** Runs one call to its end; never rejects. */
  run(call: RunMessage, changed: Changed): Promise<Outcome>;
  cancel(id: number): void;
}

interface Member {
  readonly worker: Worker;
  /** Keys of the guests that the worker has. */
  readonly guests: Set<string>;
}

/** Workers on demand: the bot decides how many calls run at once. */
export function createPool(compile: Compile): Pool {
  const idle: Member[] = [];
  const stops = new Map<number, (outcome: Outcome) => void>();
  const leave = (member: Member): void => {
    const at = idle.indexOf(member);
    if (at >= 0) idle.splice(at, 1);
  };
  const runOn = async (member: Member, answer: Answer, stopped: Promise<Outcome>): Promise<Outcome> => {
    const outcome = await Promise.race([answer.outcome, stopped]);
    if (answer.isAlive() && idle.length < IDLE_WORKERS) idle.push(member);
    else await member.worker.terminate();
    return outcome;
  };
  const run = async (call: RunMessage, changed: Changed, stopped: Promise<Outcome>): Promise<Outcome> => {
    const compiled = await Promise.race([compile(call.guest, call.grant.memoryMb), stopped]);
    if ("type" in compiled) return compiled;
    const member = idle.pop() ?? spawn(leave);
    return runOn(member, answerOf(member, messageFor(member, compiled, call), changed), stopped);
  };
  return {
    run: async (call, changed) => {
      const { promise: stopped, resolve: stop } = Promise.withResolvers<Outcome>();
      stops.set(call.id, stop);
      const timer = setTimeout(() => stop({ type: "limit", limit: "time" }), call.grant.timeoutMs);
      try {
        return await run(call, changed, stopped);
      } catch (error) {
        return { type: "failed", message: error instanceof Error ? error.message : String(error) };
      } finally {
        clearTimeout(timer);
        stops.delete(call.id);
      }
    },
    cancel: (id) => stops.get(id)?.({ type: "cancelled" }),
  };
}

/** `gone` is told when the worker ends, which it may do while nobody waits for it. */
function spawn(gone: (member: Member) => void): Member {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const member: Member = { worker, guests: new Set() };
  worker.on("error", () => gone(member)); // without a listener it would end the process
  worker.on("exit", () => gone(member));
  return member;
}

/** A compiled guest goes along once per worker. */
function messageFor({ guests }: Member, compiled: CompiledGuest, { input, grant }: RunMessage): WorkerCall {
  const isKnown = guests.has(compiled.key);
  guests.add(compiled.key);
  return { guestKey: compiled.key, compiled: isKnown ? null : compiled, input, grant };
}

interface Answer {
  readonly outcome: Promise<Outcome>;
  /** True when the worker has answered and can take another call. */
  isAlive(): boolean;
}

/** What the worker says to the call, or its death. */
function answerOf({ worker }: Member, message: WorkerCall, changed: Changed): Answer {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let alive = false;
  const onMessage = (raw: unknown): void => {
    const news = fromWorkerSchema.parse(raw);
    if (news.type === "changed") return changed(news.files);
    alive = true;
    end(news);
  };
  const onError = (error: unknown): void => end(deathOf(error));
  const onExit = (): void => end({ type: "failed", message: "the worker ended" });
  const end = (outcome: Outcome): void => {
    worker.off("message", onMessage);
    if (alive) worker.off("error", onError).off("exit", onExit); // a dying worker may have more to say
    resolve(outcome);
  };
  worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
  worker.postMessage(message);
  return { outcome: promise, isAlive: () => alive };
}

function deathOf(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return isMemory ? { type: "limit", limit: "memory" } : { type: "failed", message };
}
