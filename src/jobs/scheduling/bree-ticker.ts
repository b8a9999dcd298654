import path from "node:path";
import type Bree from "bree";
import { z } from "zod";
import { toAppError } from "../../core/protocol/errors.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Ticker } from "./ticker.ts";

const WORKER = path.join(import.meta.dirname, "tick-worker.ts");

/** A worker that has not ended by then never will. Milliseconds. */
const WORKER_LIMIT_MS = 60_000;

const tickSchema = z.object({ jobId: z.string() });

/** Jobs that are due at one time. */
interface DueTime {
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
    const worker = { workerData: { jobIds: time.jobIds } };
    this.#bree ??= this.#load();
    const bree = await this.#bree;
    // Bree goes by the system's clock, which may differ from the one that jobs are due by.
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

  /** With the first job: a program without jobs does not pay for it. */
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
    // A date that is past when it is armed, as on a busy machine, Bree leaves out.
    bree.on("job past", (name) => {
      bree.run(String(name)).catch(failed);
    });
    return bree;
  }

  /** Its worker has the list: who is due at that time again needs another. */
  #hasCome(name: unknown): void {
    const time = [...this.#times.values()].find((each) => each.name === name);
    if (time === undefined) return;
    this.#times.delete(time.at);
    for (const jobId of time.jobIds) this.#timeOf.delete(jobId);
  }
}
