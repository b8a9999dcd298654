import { z } from "zod";
import type { Cluster } from "../core/cluster.ts";
import type { ChatPlatform, PlatformHealth } from "../core/platform/chat-platform.ts";
import { type PlatformName, platformNameSchema } from "../core/platform/thread.ts";
import { type AppError, PlatformError, toAppError } from "../core/protocol/errors.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Clock } from "../core/protocol/runtime.ts";

export interface ReachabilityScope {
  readonly platforms: ReadonlyMap<PlatformName, Pick<ChatPlatform, "descriptor" | "health">>;
  readonly cluster: Pick<Cluster, "others" | "report">;
  readonly clock: Clock;
  readonly log: Log;
}

/** Interval of checks. In milliseconds. */
const LOOK_EVERY_MS = 500;

/**
 * If another process has received from a platform for this long while it was not connected here, that process takes
 * over. When all lose it at once, some notice seconds later than others, and the first to reconnect must not make the
 * rest end. In milliseconds.
 */
const HAND_OVER_MS = 8_000;

/** How long requests must fail, and at least two of them how far apart, to hand over. In milliseconds. */
const FAILING_MS = { since: 2_000, apart: 1_000 };

/** After a failed request, no session is taken for this long if another process could take it. In milliseconds. */
const DOUBT_MS = 2_000;

/** How long a start waits for a platform that another process reaches. In milliseconds. */
const START_WITHIN_MS = 30_000;

const reportSchema = z.object({
  reaches: z.array(platformNameSchema),
  receivingSince: z.record(platformNameSchema, z.number()),
});

/** Which platforms another process reaches, and since when it has received their events. */
type Report = z.infer<typeof reportSchema>;

/** A platform outside this machine. */
interface RemotePlatform {
  readonly name: PlatformName;
  readonly title: string;
  readonly health: () => PlatformHealth;
}

/** Tracks which platforms this process reaches. If others reach one that it does not, it leaves the work to them. */
export class Reachability {
  readonly #options: ReachabilityScope;
  /** Failed requests to a platform since the last successful one. In milliseconds since the epoch. */
  readonly #failing = new Map<PlatformName, Readonly<Record<"firstAt" | "lastAt", number>>>();
  /** Since when others have received from platforms that are not connected here. In milliseconds since the epoch. */
  readonly #reachedByOthersSince = new Map<PlatformName, number>();

  constructor(options: ReachabilityScope) {
    this.#options = options;
    options.cluster.report(() => this.#report());
  }

  /** Records the outcome of a request. */
  record(name: PlatformName, error: unknown): void {
    if (error === null || toAppError(error).code !== "network") {
      this.#failing.delete(name);
      return;
    }
    const lastAt = this.#options.clock.now();
    this.#failing.set(name, { firstAt: this.#failing.get(name)?.firstAt ?? lastAt, lastAt });
  }

  /**
   * Resolves once each platform is connected here, or nobody else reaches it, so that no session is taken that cannot
   * post. Throws PlatformError if that takes too long.
   */
  async require(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const began = clock.now();
    for (;;) {
      const missing = this.#remote().filter(({ health }) => !health().connected);
      const reports = missing.length === 0 ? [] : await this.#reports();
      const [away] = missing.filter(({ name }) => reports.some(({ reaches }) => reaches.includes(name)));
      if (away === undefined) return;
      if (clock.now() - began >= START_WITHIN_MS) throw notReached(away.title, away.health().detail);
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  /** Whether sessions may be taken: not while another process reaches a platform that this one may not reach. */
  async mayTake(): Promise<boolean> {
    const now = this.#options.clock.now();
    const inDoubt = this.#remote().filter(
      ({ name, health }) =>
        !health().connected || now - (this.#failing.get(name)?.lastAt ?? Number.NEGATIVE_INFINITY) < DOUBT_MS,
    );
    if (inDoubt.length === 0) return true;
    try {
      const reports = await this.#reports();
      return !inDoubt.some(({ name }) => reports.some(({ reaches }) => reaches.includes(name)));
    } catch (error) {
      this.#options.log.warn({ err: error }, "reach_not_known");
      return true;
    }
  }

  /** Resolves with the reason once this process must leave the work to others. */
  async lost(signal: AbortSignal): Promise<AppError> {
    const { clock, log } = this.#options;
    for (;;) {
      await clock.sleep(LOOK_EVERY_MS, signal);
      try {
        const lost = await this.#lost();
        if (lost !== null) return lost;
      } catch (error) {
        log.warn({ err: error }, "reach_not_known");
      }
    }
  }

  async #lost(): Promise<AppError | null> {
    const now = this.#options.clock.now();
    const remote = this.#remote();
    const isAway = ({ health }: RemotePlatform) => !health().connected;
    const fails = ({ name }: RemotePlatform) => {
      const { firstAt = now, lastAt = now } = this.#failing.get(name) ?? {};
      return now - firstAt >= FAILING_MS.since && lastAt - firstAt >= FAILING_MS.apart;
    };
    const isInDoubt = remote.some((each) => isAway(each) || fails(each));
    const reports = isInDoubt ? await this.#reports() : [];
    for (const each of remote) {
      const { name } = each;
      const isReachedByOthers =
        isAway(each) && reports.some(({ receivingSince }) => receivingSince[name] !== undefined);
      if (!isReachedByOthers) this.#reachedByOthersSince.delete(name);
      else if (!this.#reachedByOthersSince.has(name)) this.#reachedByOthersSince.set(name, now);
    }
    const lost = remote.find(
      (each) =>
        now - (this.#reachedByOthersSince.get(each.name) ?? now) >= HAND_OVER_MS ||
        (fails(each) && reports.some(({ reaches }) => reaches.includes(each.name))),
    );
    return lost === undefined ? null : notReached(lost.title, lost.health().detail);
  }

  #remote(): readonly RemotePlatform[] {
    return [...this.#options.platforms.values()].flatMap((platform) => {
      const { name, title, isOwn } = platform.descriptor;
      return isOwn ? [] : [{ name, title, health: () => platform.health() }];
    });
  }

  async #reports(): Promise<readonly Report[]> {
    const others = await this.#options.cluster.others();
    return others.flatMap(({ state }) => reportSchema.safeParse(state).data ?? []);
  }

  #report(): Report {
    const remote = this.#remote();
    const reached = remote.filter(({ name, health }) => health().connected && !this.#failing.has(name));
    const received = remote.flatMap(({ name, health }) => {
      const { receivingSince = null } = health();
      return receivingSince === null ? [] : [[name, receivingSince] as const];
    });
    return { reaches: reached.map(({ name }) => name), receivingSince: Object.fromEntries(received) };
  }
}

function notReached(title: string, detail: string): AppError {
  const why = `${title} can be reached by another process, but not by this one (${detail})`;
  return new PlatformError("platform_failed", why, { detail: { platform: title } });
}
