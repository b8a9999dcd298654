import { BoundedMap } from "../../../core/bounded-map.ts";
import type { PlatformName } from "../../../core/protocol/platform.ts";
import { RateScheduler, type WorkspaceRates } from "./rate-scheduler.ts";

export interface PlatformRates extends Omit<WorkspaceRates, "name"> {
  readonly platform: PlatformName;
  /** The workspaces that the platform is connected to. */
  readonly workspaces: () => ReadonlyMap<string, string>;
}

/** Channels whose workspace is remembered for edits that name only the message. */
const KNOWN_CHANNELS = 10_000;

/** Stands for the workspace of an edit that comes before anything names one. */
const UNNAMED = "";

/** One rate scheduler per workspace, made when first needed. */
export class WorkspaceBudgets {
  readonly #rates: PlatformRates;
  readonly #schedulers = new Map<string, RateScheduler>();
  readonly #workspaceByChannel = new BoundedMap<string, string>(KNOWN_CHANNELS);

  constructor(rates: PlatformRates) {
    this.#rates = rates;
  }

  of(workspaceId: string): RateScheduler {
    const known = this.#schedulers.get(workspaceId);
    if (known !== undefined) return known;
    // What was spent before any workspace was named counts for the first one that is.
    const unnamed = this.#schedulers.get(UNNAMED);
    this.#schedulers.delete(UNNAMED);
    const name = `${this.#rates.platform} ${workspaceId}`;
    const scheduler = unnamed ?? new RateScheduler({ ...this.#rates, name });
    this.#schedulers.set(workspaceId, scheduler);
    return scheduler;
  }

  /** The budget of the workspace that the channel was last seen in; where there is only one, that one. */
  ofChannel(channelId: string): RateScheduler {
    const known = this.#schedulers.size > 0 ? this.#schedulers : this.#rates.workspaces();
    const [only, other] = known.keys();
    const fallback = other === undefined ? only : undefined;
    return this.of(this.#workspaceByChannel.get(channelId) ?? fallback ?? UNNAMED);
  }

  remember(channelId: string, workspaceId: string): void {
    this.#workspaceByChannel.set(channelId, workspaceId);
  }
}
