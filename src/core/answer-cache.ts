import { BoundedMap } from "./bounded-map.ts";
import type { Clock } from "./protocol/runtime.ts";

interface CachePolicy<T> {
  /** How long an answer is cached, in milliseconds. */
  readonly forMs: number;
  /** Maximum number of cached answers. */
  readonly most: number;
  /** Whether an answer may be cached; every answer may if omitted. */
  readonly isLasting?: (answer: T) => boolean;
  readonly clock: Pick<Clock, "now">;
}

/** Caches the answers of `ask` by its arguments. Concurrent calls share one request, and failures are not cached. */
export function cacheAnswers<Q extends readonly unknown[], T>(
  ask: (...about: Q) => Promise<T>,
  { forMs, most, isLasting = () => true, clock }: CachePolicy<T>,
): (...about: Q) => Promise<T> {
  const known = new BoundedMap<string, { readonly answer: Promise<T>; readonly until: number }>(most);
  return (...about) => {
    const key = JSON.stringify(about);
    const before = known.get(key);
    const leftMs = (before?.until ?? 0) - clock.now();
    // More than `forMs` left means that the clock was set back.
    if (before !== undefined && leftMs > 0 && leftMs <= forMs) return before.answer;
    const answer = ask(...about);
    known.set(key, { answer, until: clock.now() + forMs });
    const forget = (): void => {
      if (known.get(key)?.answer === answer) known.delete(key);
    };
    answer.then((found) => (isLasting(found) ? undefined : forget()), forget);
    return answer;
  };
}
