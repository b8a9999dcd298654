/** Discord's rate limits: a number of requests in a window of time, counted per route and channel, and globally. */

export interface Limit {
  readonly requests: number;
  readonly perMs: number;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterMs: number;
  readonly global: boolean;
}

interface Window {
  used: number;
  endsAt: number;
}

export class Buckets {
  readonly #windows = new Map<string, Window>();
  readonly #limits: Readonly<Record<string, Limit>>;
  readonly #now: () => number;

  /** `limits` is keyed by kind of request; `global` counts all of them. Kinds without a limit are unlimited. */
  constructor(limits: Readonly<Record<string, Limit>>, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  take(kind: string, channelId: string): Verdict {
    const all = this.#limits["global"];
    if (all !== undefined) {
      const window = this.#window("global", all);
      if (window.used >= all.requests) return this.#refused("global", all, window);
      window.used += 1;
    }
    const limit = this.#limits[kind];
    if (limit === undefined) return { allowed: true, headers: {}, retryAfterMs: 0, global: false };
    const window = this.#window(`${kind} ${channelId}`, limit);
    if (window.used >= limit.requests) return this.#refused(kind, limit, window);
    window.used += 1;
    return { allowed: true, headers: this.#headers(kind, limit, window), retryAfterMs: 0, global: false };
  }

  #window(name: string, limit: Limit): Window {
    const known = this.#windows.get(name);
    if (known !== undefined && known.endsAt > this.#now()) return known;
    const fresh = { used: 0, endsAt: this.#now() + limit.perMs };
    this.#windows.set(name, fresh);
    return fresh;
  }

  #refused(kind: string, limit: Limit, window: Window): Verdict {
    const retryAfterMs = Math.max(1, window.endsAt - this.#now());
    return { allowed: false, headers: this.#headers(kind, limit, window), retryAfterMs, global: kind === "global" };
  }

  #headers(kind: string, limit: Limit, window: Window): Record<string, string> {
    return {
      "x-ratelimit-bucket": `bucket-of-${kind}`,
      "x-ratelimit-limit": String(limit.requests),
      "x-ratelimit-remaining": String(limit.requests - window.used),
      "x-ratelimit-reset-after": String(Math.max(0, window.endsAt - this.#now()) / 1_000),
      "x-ratelimit-reset": String(window.endsAt / 1_000),
    };
  }
}
