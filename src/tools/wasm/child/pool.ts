import { Worker } from "node:worker_threads";
import type { GuestAnswer } from "../../network/guest-answer.ts";
import type { FileChange } from "../workspace/kept-content.ts";
import { createFence, moveFence } from "./fence.ts";
import { fromWorkerSchema, type Grown, type Outcome, type RunMessage } from "./messages.ts";
import type { CompiledGuest } from "./modules.ts";
import { createPrinted, printedText } from "./printed.ts";
import { grownOf, QuotaAllowances } from "./quota-allowances.ts";
import type { WorkerCall } from "./worker.ts";

export interface IdleLimits {
  /** Number of idle workers to keep, so that the next calls need not wait for a start. */
  readonly workers: number;
  /** How long surplus workers wait for work. A start costs ten times as much as a call, and calls come in bursts. */
  readonly lingerMs: number;
}

const IDLE_LIMITS: IdleLimits = { workers: 2, lingerMs: 5_000 };

/** Megabytes of a worker's own heap, which holds the host's side of a guest. */
const HEAP_MB = 256;

/** Milliseconds for a stopped call of these guests to end by itself and report (sandbox.wit, `stopped`). */
const STOP_MS = 300;
const STOPPABLE: readonly string[] = ["bash"];

type Compile = (guest: string, memoryMb: number) => Promise<CompiledGuest>;

export interface CallEvents {
  readonly changed: (files: readonly FileChange[]) => void;
  /** A request to fetch; the guest sleeps until it is answered or the call ends. */
  readonly fetch: (request: string, answered: (answer: GuestAnswer) => void) => void;
  /** What the call had printed, if it was interrupted. */
  readonly printed: (text: string) => void;
  /** What the call took of its room; sent once it has ended. */
  readonly grown: (grown: Grown) => void;
}

export interface Pool {
  /** Runs one call to its end; never rejects. */
  run(call: RunMessage, events: CallEvents): Promise<Outcome>;
  cancel(id: number): void;
  /** Sets until when fenced calls may change files. */
  certain(untilMs: number): void;
}

interface Member {
  readonly worker: Worker;
  /** Keys of the guests that the worker has received. */
  readonly guests: Set<string>;
}

interface StoppableCall extends RunMessage, Pick<WorkerCall, "stop" | "printed" | "allowance" | "fence"> {}

/** Creates workers on demand; the bot decides how many calls run at once. */
export function createPool(compile: Compile, limits = IDLE_LIMITS): Pool {
  const idle = new IdleMembers(limits);
  const stops = new Map<number, () => void>();
  const allowances = new QuotaAllowances();
  const shared = createFence();
  const runOn = async (member: Member, answer: Answer, stopped: Promise<Outcome>): Promise<Outcome> => {
    const outcome = await Promise.race([answer.outcome, stopped]);
    if (answer.isAlive()) idle.add(member);
    else await member.worker.terminate();
    return outcome;
  };
  const run = async (call: StoppableCall, events: CallEvents, stopped: Promise<Outcome>): Promise<Outcome> => {
    const compiled = await Promise.race([compile(call.guest, call.capability.memoryMb), stopped]);
    if ("type" in compiled) return compiled;
    const member = idle.take(compiled.key) ?? spawn((gone) => idle.delete(gone));
    return runOn(member, answerOf(member, messageFor(member, compiled, call), events), stopped);
  };
  return {
    run: async (call, events) => {
      const { promise: stopped, resolve: stop } = Promise.withResolvers<Outcome>();
      const flag = new Int32Array(new SharedArrayBuffer(4));
      const printed = createPrinted();
      const allowance = call.capability.growth === undefined ? null : allowances.open(call.capability.growth);
      const fence = call.capability.isFenced === true ? shared : null;
      let patience: NodeJS.Timeout | undefined;
      stops.set(call.id, () => {
        Atomics.store(flag, 0, 1);
        patience ??= setTimeout(() => stop({ type: "cancelled" }), STOPPABLE.includes(call.guest) ? STOP_MS : 0);
      });
      const timer = setTimeout(() => stop({ type: "limit", limit: "time" }), call.capability.timeoutMs);
      try {
        const outcome = await run({ ...call, stop: flag, printed, allowance, fence }, events, stopped);
        const text = outcome.type === "ok" ? "" : printedText(printed);
        if (text !== "") events.printed(text);
        return outcome;
      } catch (error) {
        return { type: "failed", message: error instanceof Error ? error.message : String(error) };
      } finally {
        clearTimeout(timer);
        clearTimeout(patience);
        stops.delete(call.id);
        if (allowance !== null) events.grown(grownOf(allowance));
      }
    },
    cancel: (id) => stops.get(id)?.(),
    certain: (untilMs) => moveFence(shared, untilMs),
  };
}

/** Idle workers, the one idle for longest first. */
class IdleMembers {
  readonly #limits: IdleLimits;
  readonly #members = new Map<Member, NodeJS.Timeout>();

  constructor(limits: IdleLimits) {
    this.#limits = limits;
  }

  add(member: Member): void {
    const retire = (): void => {
      if (this.#members.size <= this.#limits.workers) return;
      this.delete(member);
      member.worker.terminate().catch((error: unknown) => {
        throw error;
      });
    };
    this.#members.set(member, setTimeout(retire, this.#limits.lingerMs));
  }

  /** Takes a worker that already has the guest, if any; else the most recently used, so that the others expire. */
  take(guest: string): Member | undefined {
    const members = [...this.#members.keys()];
    const member = members.findLast(({ guests }) => guests.has(guest)) ?? members.at(-1);
    if (member !== undefined) this.delete(member);
    return member;
  }

  delete(member: Member): void {
    clearTimeout(this.#members.get(member));
    this.#members.delete(member);
  }
}

/** Starts a worker. `gone` is called when it ends, which can happen while nobody waits for it. */
function spawn(gone: (member: Member) => void): Member {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    env: {},
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  const member: Member = { worker, guests: new Set() };
  worker.on("error", () => gone(member)); // without a listener the error would end the process
  worker.on("exit", () => gone(member));
  return member;
}

/** Sends a compiled guest once per worker. */
function messageFor(
  { guests }: Member,
  compiled: CompiledGuest,
  { input, capability, stop, printed, allowance, fence }: StoppableCall,
): WorkerCall {
  const isKnown = guests.has(compiled.key);
  guests.add(compiled.key);
  const known = isKnown ? null : compiled;
  return { guestKey: compiled.key, compiled: known, input, capability, stop, printed, allowance, fence };
}

interface Answer {
  readonly outcome: Promise<Outcome>;
  /** True if the worker has answered and can take another call. */
  isAlive(): boolean;
}

/** Resolves to the worker's answer or to its death. */
function answerOf({ worker }: Member, message: WorkerCall, { changed, fetch }: CallEvents): Answer {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  let alive = false;
  const onMessage = (raw: unknown): void => {
    const news = fromWorkerSchema.parse(raw);
    if (news.type === "changed") return changed(news.files);
    if (news.type === "fetch") return fetch(news.request, (answered) => wake(worker, answered, news.bell));
    alive = true;
    end(news);
  };
  const onError = (error: unknown): void => end(outcomeOfCrash(error));
  const onExit = (): void => end({ type: "failed", message: "the worker ended" });
  const end = (outcome: Outcome): void => {
    worker.off("message", onMessage);
    if (alive) worker.off("error", onError).off("exit", onExit); // a dying worker may still send more
    resolve(outcome);
  };
  worker.on("message", onMessage).on("error", onError).on("exit", onExit);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
  worker.postMessage(message);
  return { outcome: promise, isAlive: () => alive };
}

/** Posts the answer before ringing the bell; the sleeping worker then wakes up and reads it. */
function wake(worker: Worker, answer: GuestAnswer, bell: Int32Array<SharedArrayBuffer>): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker, not a window
  worker.postMessage(answer);
  Atomics.store(bell, 0, 1);
  Atomics.notify(bell, 0);
}

function outcomeOfCrash(error: unknown): Outcome {
  const message = error instanceof Error ? error.message : String(error);
  const isMemory = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
  return isMemory ? { type: "limit", limit: "memory" } : { type: "failed", message };
}
