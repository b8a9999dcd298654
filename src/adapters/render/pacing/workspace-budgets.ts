import { BoundedMap } from "../../../core/bounded-map.ts";
import type { PlatformLimits } from "../../../core/protocol/platform.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { RateScheduler } from "./rate-scheduler.ts";

/** Channels whose workspace is remembered for edits that name only the message. */
const KNOWN_CHANNELS = 10_000;

/** Stands for the workspace of an edit that comes before anything names one. */
const UNNAMED = "";

/** One rate scheduler per workspace, made when first needed. */
export class WorkspaceBudgets {
  readonly #limits: PlatformLimits;
  readonly #clock: Clock;
  readonly #emptyAt: number | null;
  readonly #schedulers = new Map<string, RateScheduler>();
  readonly #workspaceByChannel = new BoundedMap<string, string>(KNOWN_CHANNELS);

  /** `emptyAt`: as the schedulers' own. */
  constructor(limits: PlatformLimits, clock: Clock, emptyAt: number | null) {
    this.#limits = limits;
    this.#clock = clock;
    this.#emptyAt = emptyAt;
  }

  of(workspaceId: string): RateScheduler {
    const known = this.#schedulers.get(workspaceId);
    if (known !== undefined) return known;
    // What was spent before any workspace was named counts for the first one that is.
    const unnamed = this.#schedulers.get(UNNAMED);
    this.#schedulers.delete(UNNAMED);
    const scheduler = unnamed ?? new RateScheduler(this.#limits, this.#clock, this.#emptyAt);
    this.#schedulers.set(workspaceId, scheduler);
    return scheduler;
  }

  /** The budget of the workspace that the channel was last seen in; where there is only one, that one. */
  ofChannel(channelId: string): RateScheduler {
    const [only, other] = this.#schedulers.keys();
    const fallback = other === undefined ? only : undefined;
    return this.of(this.#workspaceByChannel.get(channelId) ?? fallback ?? UNNAMED);
  }

  remember(channelId: string, workspaceId: string): void {
    this.#workspaceByChannel.set(channelId, workspaceId);
  }
}
