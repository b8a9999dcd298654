import path from "node:path";
import Bree from "bree";
import { z } from "zod";
import { toAppError } from "../core/protocol/errors.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Clock } from "../core/protocol/runtime.ts";
import type { Ticker } from "./ticker.ts";

const WORKER = path.join(import.meta.dirname, "tick-worker.ts");

/** Bree leaves out a date that is past when it comes to arm it. Milliseconds. */
const SOONEST_MS = 20;
/** A worker that has not ended by then never will. Milliseconds. */
const WORKER_LIMIT_MS = 60_000;

const tickSchema = z.object({ jobId: z.string() });

/** Jobs that are due at one time. */
interface DueTime {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Bree's name of it. */
  readonly name: string;
  /** Bree hands this very array to the worker when the time has come, so jobs are added and taken out in place. */
  readonly jobIds: string[];
}

/**
 * Bree's timers and workers. Jobs that are due at the same time share one worker thread, which names each of
 * them: a thread per job would take 9 MB and 35 ms each, all at once when 500 jobs are due at nine.
 */
export class BreeTicker implements Ticker {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Due times that have not come, by when they do. */
  readonly #times = new Map<number, DueTime>();
  readonly #timeOf = new Map<string, number>();
  #count = 0;
  #bree: Bree | null = null;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  async start(onTick: (jobId: string) => void): Promise<void> {
    this.#bree = new Bree({
      root: false,
      doRootCheck: false,
      logger: false,
      removeCompleted: true,
      closeWorkerAfterMs: WORKER_LIMIT_MS,
      acceptedExtensions: [".ts"],
      errorHandler: (error) => this.#log.error({ err: toAppError(error) }, "tick_failed"),
      workerMessageHandler: ({ message }) => {
        const tick = tickSchema.safeParse(message);
        if (tick.success) onTick(tick.data.jobId);
      },
    });
    this.#bree.on("worker created", (name) => this.#hasCome(name));
  }

  async set(jobId: string, at: number): Promise<void> {
    await this.clear(jobId);
    if (this.#bree === null) return;
    const due = Math.max(at, this.#clock.now() + SOONEST_MS);
    this.#timeOf.set(jobId, due);
    const known = this.#times.get(due);
    if (known !== undefined) {
      known.jobIds.push(jobId);
      return;
    }
    this.#count += 1;
    const time: DueTime = { at: due, name: `due-${this.#count}`, jobIds: [jobId] };
    this.#times.set(due, time);
    const worker = { workerData: { jobIds: time.jobIds } };
    await this.#bree.add({ name: time.name, path: WORKER, date: new Date(due), worker });
    await this.#bree.start(time.name);
  }

  async clear(jobId: string): Promise<void> {
    const due = this.#timeOf.get(jobId);
    const time = due === undefined ? undefined : this.#times.get(due);
    this.#timeOf.delete(jobId);
    if (due === undefined || time === undefined) return;
    time.jobIds.splice(time.jobIds.indexOf(jobId), 1);
    if (time.jobIds.length > 0) return;
    this.#times.delete(due);
    await this.#bree?.remove(time.name);
  }

  /** Its worker has the list: who is due at that time again needs another. */
  #hasCome(name: unknown): void {
    const time = [...this.#times.values()].find((each) => each.name === name);
    if (time === undefined) return;
    this.#times.delete(time.at);
    for (const jobId of time.jobIds) this.#timeOf.delete(jobId);
  }

  async stop(): Promise<void> {
    const bree = this.#bree;
    this.#bree = null;
    await bree?.stop();
  }
}
