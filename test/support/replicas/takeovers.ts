import type { RecordedRequest } from "../model/model-server.ts";
import type { Fleet, Replica } from "./fleet.ts";
import { standingOf } from "./script.ts";

/** Milliseconds after a kill within which a broken-off request is attributed to it. */
const BREAKS_OFF_MS = 1_000;

/** A request that was sent or broke off. */
interface Moment {
  /** The conversation of the request. */
  readonly who: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Measures from outside how long another replica takes to continue a killed one's work. */
export class Takeovers {
  readonly #brokenOff: Moment[] = [];
  readonly #asked: Moment[] = [];
  readonly #kills: number[] = [];

  /** Must be called with each model request on arrival. */
  note(request: RecordedRequest): void {
    const who = whoOf(request);
    this.#asked.push({ who, at: request.arrivedAt });
    const watch = async () => {
      if ((await request.ended) === "aborted") this.#brokenOff.push({ who, at: Date.now() });
    };
    watch().catch(() => undefined); // the watch never rejects
  }

  async kill(replica: Replica): Promise<void> {
    const killedAt = Date.now();
    this.#kills.push(killedAt);
    await replica.kill();
  }

  get kills(): number {
    return this.#kills.length;
  }

  /**
   * Sorted milliseconds from each kill to the next request of a run that was waiting for the model in the killed
   * replica.
   */
  tookMs(): readonly number[] {
    return this.#kills
      .flatMap((killedAt) =>
        this.#brokenOff
          .filter(({ at }) => at >= killedAt && at < killedAt + BREAKS_OFF_MS)
          .flatMap(({ who }) => this.#asked.find((next) => next.who === who && next.at > killedAt) ?? [])
          .map(({ at }) => at - killedAt),
      )
      .toSorted((a, b) => a - b);
  }
}

function whoOf(request: Parameters<typeof standingOf>[0]): string {
  const standing = standingOf(request);
  return standing === null ? "" : `${standing.who}${standing.number}`;
}

/** The value that this share of the sorted samples does not exceed. */
export function percentile(samples: readonly number[], share: number): number {
  return samples[Math.min(samples.length - 1, Math.floor(samples.length * share))] ?? Number.NaN;
}

/** Whether no replica has a run in progress. */
export async function isIdle({ replicas }: Fleet): Promise<boolean> {
  const running = await Promise.all(replicas.map((replica) => replica.running()));
  return running.every((count) => count === 0);
}
