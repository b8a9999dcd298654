import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { waitAtMost } from "../../core/wait-at-most.ts";
import { measure } from "./measure.ts";

/**
 * How long a call waits for the first figure of its root, in milliseconds. Afterwards it continues with what is known.
 */
const PATIENCE_MS = 1_000;
/** Age in milliseconds beyond which a root is measured again, because other programs write to it too. */
const OLD_MS = { usual: 3_600_000, nearlyFull: 10_000 };

interface Meter {
  bytes: number;
  isKnown: boolean;
  /** Start of the latest complete measurement, in milliseconds since the epoch. */
  measuredAt: number;
  /** Bytes that the bot has added since the current measurement began. */
  added: number;
  measuring: Promise<void> | null;
}

interface MeterParts {
  readonly clock: Clock;
  readonly log: Log;
}

/** The size of each root: measured on first use and from time to time, and counted in between. */
export class RootMeters {
  readonly #parts: MeterParts;
  readonly #signal: AbortSignal;
  readonly #meters = new Map<string, Meter>();

  constructor(parts: MeterParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Size in bytes, as far as it is known. */
  bytes(root: string): number {
    return this.#meters.get(root)?.bytes ?? 0;
  }

  isKnown(root: string): boolean {
    return this.#meters.get(root)?.isKnown ?? false;
  }

  add(root: string, bytes: number): void {
    const meter = this.#meterOf(root);
    meter.bytes = Math.max(0, meter.bytes + bytes);
    meter.added += bytes;
  }

  /**
   * Starts a measurement if the figure is old. Waits a limited time for it if nothing is known, or if the root seems
   * nearly full, since somebody may have made room.
   */
  async ready(root: string, isNearlyFull: () => boolean): Promise<void> {
    const meter = this.#meterOf(root);
    const age = this.#parts.clock.now() - meter.measuredAt;
    const mustWait = !meter.isKnown || (isNearlyFull() && age > OLD_MS.nearlyFull);
    if (!mustWait && age <= OLD_MS.usual) return;
    const measured = this.#measure(root, meter);
    if (mustWait) await this.waitBriefly(measured);
  }

  /** Measures what a call has added that ended without reporting it. */
  async addedUnreported(root: string): Promise<number> {
    const meter = this.#meterOf(root);
    await meter.measuring;
    const before = meter.bytes;
    await this.#measure(root, meter);
    return Math.max(0, meter.bytes - before);
  }

  #meterOf(root: string): Meter {
    const known = this.#meters.get(root);
    if (known !== undefined) return known;
    const meter = { bytes: 0, isKnown: false, measuredAt: 0, added: 0, measuring: null };
    this.#meters.set(root, meter);
    return meter;
  }

  /** Measures a root, or joins the measurement in progress. Never rejects. */
  #measure(root: string, meter: Meter): Promise<void> {
    meter.measuring ??= this.#measured(root, meter).finally(() => {
      meter.measuring = null;
    });
    return meter.measuring;
  }

  async #measured(root: string, meter: Meter): Promise<void> {
    const { clock, log } = this.#parts;
    const [before, began] = [meter.bytes, clock.now()];
    meter.added = 0;
    const soFar = (bytes: number) => {
      if (!meter.isKnown) meter.bytes = bytes + meter.added;
    };
    try {
      const seen = await measure(root, soFar, this.#signal);
      // The measurement may or may not have seen what was added meanwhile.
      meter.bytes = meter.added > 0 && meter.isKnown ? Math.max(seen, before + meter.added) : seen;
      Object.assign(meter, { isKnown: true, measuredAt: began });
    } catch (error) {
      if (!this.#signal.aborted) log.warn({ err: error, root }, "root_not_measured");
    }
  }

  /** Waits for a figure for a limited time. */
  async waitBriefly(measured: Promise<void>): Promise<void> {
    await waitAtMost(PATIENCE_MS, measured, this.#parts.clock);
  }
}
