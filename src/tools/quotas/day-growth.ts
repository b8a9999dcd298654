import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import type { GrowthLedger } from "../../core/growth-ledger.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { utcDay } from "../../core/text/utc.ts";

const keptSchema = z.object({
  /** `2026-11-23` */
  day: z.string(),
  /** Bytes added that day, by `person:…` and `channel:…`. */
  grown: z.record(z.string(), z.number()),
  /** Bytes that each of the operator's directories held when it was first seen. */
  given: z.record(z.string(), z.number()),
});

/** Delay before new figures are written, in milliseconds. */
const WRITE_AFTER_MS = 5_000;

interface GrowthFile {
  /** Absolute path; read on first use. */
  readonly file: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Counts the growth for one process, in a file so that a restart does not reset the day's limits. */
export class DayGrowth implements GrowthLedger {
  readonly #options: GrowthFile;
  #figures: z.infer<typeof keptSchema> | null = null;
  #cancelWrite: (() => void) | null = null;

  constructor(options: GrowthFile) {
    this.#options = options;
  }

  ready(): null {
    return null;
  }

  bytes(key: string): number {
    return this.#today().grown[key] ?? 0;
  }

  add(key: string, bytes: number): void {
    const { grown } = this.#today();
    grown[key] = Math.max(0, (grown[key] ?? 0) + bytes);
    this.#writeSoon();
  }

  given(root: string): number | null {
    return this.#today().given[root] ?? null;
  }

  see(root: string, bytes: number): void {
    this.#today().given[root] = bytes;
    this.#writeSoon();
  }

  close(): Promise<void> {
    this.#cancelWrite?.();
    if (this.#cancelWrite !== null) this.#write();
    return Promise.resolve();
  }

  #today(): z.infer<typeof keptSchema> {
    const day = utcDay(this.#options.clock.now());
    const figures = (this.#figures ??= this.#read() ?? { day, grown: {}, given: {} });
    if (figures.day !== day) Object.assign(figures, { day, grown: {} });
    return figures;
  }

  /** Null if the file is missing or not in the bot's format. */
  #read(): z.infer<typeof keptSchema> | null {
    const { file, log } = this.#options;
    try {
      return keptSchema.parse(JSON.parse(readFileSync(file, "utf8")));
    } catch (error) {
      if (systemCode(error) !== "ENOENT") log.warn({ err: error, file }, "growth_not_read");
      return null;
    }
  }

  #writeSoon(): void {
    this.#cancelWrite ??= this.#options.clock.after(WRITE_AFTER_MS, () => this.#write());
  }

  #write(): void {
    const { file, log } = this.#options;
    this.#cancelWrite = null;
    try {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(`${file}.new`, JSON.stringify(this.#figures), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    } catch (error) {
      log.warn({ err: error, file }, "growth_not_written");
    }
  }
}
