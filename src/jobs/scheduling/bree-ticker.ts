import path from "node:path";
import type Bree from "bree";
import { z } from "zod";
import { toAppError } from "../../core/protocol/errors.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Ticker } from "./ticker.ts";

const WORKER = path.join(import.meta.dirname, "tick-worker.ts");

/** A worker still running after this long will never end. In milliseconds. */
const WORKER_LIMIT_MS = 60_000;

const tickSchema = z.object({ jobId: z.string() });

interface DueTime {
  readonly at: number;
  /** Name within Bree. */
  readonly name: string;
  /** Bree passes this array itself to the worker at the due time, so jobs are added and removed in place. */
  readonly jobIds: string[];
}

/**
 * Ticks by Bree's timers and workers. Jobs due at the same time share one worker thread: a thread per job would take 9
 * MB and 35 ms each, all at once if 500 jobs are due at nine.
 */
export class BreeTicker implements Ticker {
  readonly #clock: Clock;
  readonly #log: Log;
  /** Pending due times, by time. */
  readonly #times = new Map<number, DueTime>();
  readonly #timeOf = new Map<string, number>();
  #count = 0;
  #onTick: ((jobId: string) => void) | null = null;
  #bree: Promise<Bree> | null = null;

  constructor({ clock, log }: { clock: Clock; log: Log }) {
    this.#clock = clock;
    this.#log = log;
  }

  start(onTick: (jobId: string) => void): Promise<void> {
    this.#onTick = onTick;
    return Promise.resolve();
  }

  async set(jobId: string, at: number): Promise<void> {
    await this.clear(jobId);
    if (this.#onTick === null) return;
    this.#timeOf.set(jobId, at);
    const known = this.#times.get(at);
    if (known !== undefined) {
      known.jobIds.push(jobId);
      return;
    }
    this.#count += 1;
    const time: DueTime = { at, name: `due-${this.#count}`, jobIds: [jobId] };
    this.#times.set(at, time);
    // Bree would take a path with a parenthesis, a plus sign or the like for code.
    const worker = { eval: false, workerData: { jobIds: time.jobIds } };
    this.#bree ??= this.#load();
    const bree = await this.#bree;
    // Bree uses the system's clock, which may differ from the one that jobs are due by.
    const date = new Date(Date.now() + at - this.#clock.now());
    await bree.add({ name: time.name, path: WORKER, date, worker });
    await bree.start(time.name);
  }

  async clear(jobId: string): Promise<void> {
    const due = this.#timeOf.get(jobId);
    const time = due === undefined ? undefined : this.#times.get(due);
    this.#timeOf.delete(jobId);
    if (due === undefined || time === undefined) return;
    time.jobIds.splice(time.jobIds.indexOf(jobId), 1);
    if (time.jobIds.length > 0) return;
    this.#times.delete(due);
    await (await this.#bree)?.remove(time.name);
  }

  async stop(): Promise<void> {
    this.#onTick = null;
    await (await this.#bree)?.stop();
  }

  /** Loads Bree with the first job, so that a program without jobs does not pay for it. */
  async #load(): Promise<Bree> {
    const { default: Scheduler } = await import("bree");
    const failed = (error: unknown) => this.#log.error({ err: toAppError(error) }, "tick_failed");
    const bree = new Scheduler({
      root: false,
      doRootCheck: false,
      logger: false,
      removeCompleted: true,
      closeWorkerAfterMs: WORKER_LIMIT_MS,
      acceptedExtensions: [".ts"],
      errorHandler: failed,
      workerMessageHandler: ({ message }) => {
        const tick = tickSchema.safeParse(message);
        if (tick.success) this.#onTick?.(tick.data.jobId);
      },
    });
    bree.on("worker created", (name) => this.#hasCome(name));
    // Bree skips a date that is already past when it is armed, as may happen on a busy machine.
    bree.on("job past", (name) => {
      bree.run(String(name)).catch(failed);
    });
    return bree;
  }

  /** Once a worker has its list, another job due at the same time needs a new one. */
  #hasCome(name: unknown): void {
    const time = [...this.#times.values()].find((each) => each.name === name);
    if (time === undefined) return;
    this.#times.delete(time.at);
    for (const jobId of time.jobIds) this.#timeOf.delete(jobId);
  }
}
