import type { PlatformLimits } from "../../../core/platform/descriptor.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { SharedRates } from "../../../core/shared-rates.ts";
import { type Gate, PacedQueue, type SharedBucket, type Turn } from "./paced-queue.ts";

type Rates = Pick<PlatformLimits, "postsPerChannel" | "editsPerWorkspace">;

export interface WorkspaceRates {
  readonly limits: Rates;
  readonly clock: Clock;
  /** When an earlier process may have used up the rates. In milliseconds since the epoch. */
  readonly emptyAt: number | null;
  /** Null if no other process uses the rates. */
  readonly shared: SharedRates | null;
  /** Identifies the workspace in the shared rates. */
  readonly name: string;
}

/** Number of channels at which idle queues are dropped. */
const SWEEP_AT = 256;

/**
 * Owns the rate budget of one workspace: posts per channel; edits, reactions and statuses for the whole workspace. Each
 * live message has at most one edit waiting, so first come, first served shares the edits fairly.
 */
export class RateScheduler {
  readonly #options: WorkspaceRates;
  readonly #posts = new Map<string, PacedQueue>();
  readonly #postGate: Gate = { closedUntil: 0, closedForMs: 0 };
  readonly edits: PacedQueue;
  readonly reactions: PacedQueue;
  readonly statuses: PacedQueue;
  /** Number of tokens reserved for first posts, by channel. */
  readonly #reserved = new Map<string, number>();

  constructor(options: WorkspaceRates) {
    this.#options = options;
    const { limits, clock, emptyAt } = options;
    const ofWorkspace = (method: string) =>
      new PacedQueue({
        rate: limits.editsPerWorkspace,
        gate: { closedUntil: 0, closedForMs: 0 },
        clock,
        emptyAt,
        shared: this.#shared(method),
      });
    this.edits = ofWorkspace("edits");
    this.reactions = ofWorkspace("reactions");
    this.statuses = ofWorkspace("statuses");
  }

  post<T>(channelId: string, send: () => Promise<T>, { lane, signal }: Turn): Promise<T> {
    const reserved = lane === "first" && this.#useReserved(channelId);
    return this.#channel(channelId).run(send, { lane, signal, reserved });
  }

  /** Whether a first post in the channel would be sent at once. */
  canPostFirst(channelId: string): boolean {
    return this.#channel(channelId).isFree("first");
  }

  /** Waits in the `first` lane; the next first post in the channel is then sent at once. */
  async reserveFirst(channelId: string, signal: AbortSignal): Promise<void> {
    await this.#channel(channelId).reserve("first", signal);
    this.#reserved.set(channelId, (this.#reserved.get(channelId) ?? 0) + 1);
  }

  /** Returns a reservation that no post will use. */
  releaseFirst(channelId: string): void {
    if (this.#useReserved(channelId)) this.#channel(channelId).refund();
  }

  #useReserved(channelId: string): boolean {
    const reserved = this.#reserved.get(channelId) ?? 0;
    if (reserved === 0) return false;
    if (reserved === 1) this.#reserved.delete(channelId);
    else this.#reserved.set(channelId, reserved - 1);
    return true;
  }

  #channel(channelId: string): PacedQueue {
    const known = this.#posts.get(channelId);
    if (known !== undefined) return known;
    this.#sweep();
    const { clock, emptyAt, limits } = this.#options;
    const queue = new PacedQueue({
      rate: limits.postsPerChannel,
      gate: this.#postGate,
      clock,
      // Allows one post at once, since somebody is waiting for it.
      emptyAt: emptyAt === null ? null : emptyAt - limits.postsPerChannel.everyMs,
      shared: this.#shared("posts", channelId),
    });
    this.#posts.set(channelId, queue);
    return queue;
  }

  #sweep(): void {
    if (this.#posts.size < SWEEP_AT) return;
    for (const [channelId, queue] of this.#posts) {
      if (queue.isIdle && !this.#reserved.has(channelId)) this.#posts.delete(channelId);
    }
  }

  #shared(method: string, channelId?: string): SharedBucket | null {
    const { shared: rates, name } = this.#options;
    const gate = `${name} ${method}`;
    return rates && { rates, gate: `${gate} open`, bucket: channelId === undefined ? gate : `${gate} ${channelId}` };
  }
}
