/** Rate limits that the local Slack enforces. Calls over a limit get 429 with Retry-After. */
export interface SlackLimits {
  /** chat.update, for the workspace, in any 60 s. Source: Slack docs, rate limits, Tier 3. */
  readonly updatesPerMinute: number;
  /** chat.postMessage per channel: a burst of this many, then one a second. Source: Slack docs, chat.postMessage. */
  readonly postBurst: number;
  /** assistant.threads.setStatus for the workspace, which has special limits of unknown size. */
  readonly statusesPerMinute: number;
  /** Any other method, for the workspace, in any 60 s. */
  readonly othersPerMinute: number;
}

export const DEFAULT_LIMITS: SlackLimits = {
  updatesPerMinute: 50,
  statusesPerMinute: 50,
  postBurst: 8,
  othersPerMinute: 1_000,
};

const MINUTE_MS = 60_000;

export class SlackLimiter {
  readonly #limits: SlackLimits;
  readonly #windows = new Map<string, number[]>();
  readonly #buckets = new Map<string, { tokens: number; at: number }>();

  constructor(limits: SlackLimits) {
    this.#limits = limits;
  }

  /** Seconds to wait; 0 if the call may pass. A rejected call is not counted. */
  check(method: string, channel: string): number {
    const now = Date.now();
    if (method === "chat.postMessage") return this.#bucket(channel, now);
    return this.#window(method, this.#mostOf(method), now);
  }

  #mostOf(method: string): number {
    const { updatesPerMinute, statusesPerMinute, othersPerMinute } = this.#limits;
    if (method === "chat.update") return updatesPerMinute;
    return method === "assistant.threads.setStatus" ? statusesPerMinute : othersPerMinute;
  }

  #window(method: string, most: number, now: number): number {
    const recent = (this.#windows.get(method) ?? []).filter((at) => at > now - MINUTE_MS);
    this.#windows.set(method, recent);
    const [oldest] = recent;
    if (recent.length >= most && oldest !== undefined)
      return Math.max(1, Math.ceil((oldest + MINUTE_MS - now) / 1_000));
    recent.push(now);
    return 0;
  }

  #bucket(channel: string, now: number): number {
    const { postBurst } = this.#limits;
    const { tokens, at } = this.#buckets.get(channel) ?? { tokens: postBurst, at: now };
    const filled = Math.min(postBurst, tokens + (now - at) / 1_000);
    if (filled < 1) {
      this.#buckets.set(channel, { tokens: filled, at: now });
      return 1;
    }
    this.#buckets.set(channel, { tokens: filled - 1, at: now });
    return 0;
  }
}
