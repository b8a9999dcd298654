import { BoundedMap } from "../../../core/bounded-map.ts";
import type { ChatPlatform } from "../../../core/platform/chat-platform.ts";
import { RateScheduler, type WorkspaceRates } from "./rate-scheduler.ts";

type Rated = Pick<ChatPlatform, "descriptor" | "workspaces">;
type Rates = Omit<WorkspaceRates, "name" | "limits">;

/** Maximum number of channels whose workspace is remembered, for edits that name only the message. */
const KNOWN_CHANNELS = 10_000;

/** Placeholder for the workspace of an edit that arrives before any workspace is known. */
const UNNAMED = "";

/** One rate scheduler per workspace, created on first use. */
export class WorkspaceBudgets {
  readonly #platform: Rated;
  readonly #rates: Rates;
  readonly #schedulers = new Map<string, RateScheduler>();
  readonly #workspaceByChannel = new BoundedMap<string, string>(KNOWN_CHANNELS);

  constructor(platform: Rated, rates: Rates) {
    this.#platform = platform;
    this.#rates = rates;
  }

  of(workspaceId: string): RateScheduler {
    const known = this.#schedulers.get(workspaceId);
    if (known !== undefined) return known;
    // Use recorded before any workspace was known counts for the first known one.
    const unnamed = this.#schedulers.get(UNNAMED);
    this.#schedulers.delete(UNNAMED);
    const { name, limits } = this.#platform.descriptor;
    const scheduler = unnamed ?? new RateScheduler({ ...this.#rates, limits, name: `${name} ${workspaceId}` });
    this.#schedulers.set(workspaceId, scheduler);
    return scheduler;
  }

  /** The scheduler of the workspace in which the channel was last seen, or of the only workspace. */
  ofChannel(channelId: string): RateScheduler {
    const known = this.#schedulers.size > 0 ? this.#schedulers : this.#platform.workspaces?.();
    const [only, other] = known?.keys() ?? [];
    const fallback = other === undefined ? only : undefined;
    return this.of(this.#workspaceByChannel.get(channelId) ?? fallback ?? UNNAMED);
  }

  remember(channelId: string, workspaceId: string): void {
    this.#workspaceByChannel.set(channelId, workspaceId);
  }
}
