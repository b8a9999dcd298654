import type { Projection } from "../events/projection.ts";
import type { Message } from "../protocol/messages.ts";
import { resultChars, resultsOf } from "./projection.ts";

/**
 * The number of results to evict so that the rest fits the budget, in characters; null if none need to go. Eviction
 * goes down to half the budget at once, so that the prefix of requests stays equal for a while. Results that the model
 * has not seen stay.
 */
export function evictionForBudget(messages: readonly Message[], projection: Projection, budget: number): number | null {
  const { chars, seen, first } = resultSizes(messages, projection);
  let total = chars.slice(first).reduce((sum, each) => sum + each, 0);
  if (total <= budget) return null;
  let evicted = first;
  while (evicted < seen && total > budget / 2) {
    total -= chars[evicted] ?? 0;
    evicted += 1;
  }
  return evicted > projection.evictedResults && evicted > first ? evicted : null;
}

/**
 * The number of results to evict, keeping those of the newest `rounds` responses and those that the model has not seen;
 * null if there are no more to evict.
 */
export function evictionOfRounds(messages: readonly Message[], projection: Projection, rounds: number): number | null {
  const { seen, before } = resultSizes(messages, projection);
  const responses = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  const oldestKept = responses.at(-1 - rounds);
  const evicted = oldestKept === undefined ? 0 : Math.min(seen, before[oldestKept] ?? 0);
  return evicted > projection.evictedResults ? evicted : null;
}

/** The number of all results, including those that the model has not seen; null if all are already evicted. */
export function evictionOfAll(messages: readonly Message[], { evictedResults }: Projection): number | null {
  const all = messages.reduce((sum, message) => sum + resultsOf(message).length, 0);
  return all > evictedResults ? all : null;
}

function resultSizes(messages: readonly Message[], { evictedResults, summary }: Projection) {
  const chars: number[] = [];
  /** Number of results before each message. */
  const before: number[] = [];
  let seen = 0;
  for (const message of messages) {
    before.push(chars.length);
    if (message.role === "assistant") seen = chars.length;
    chars.push(...resultsOf(message).map(resultChars));
  }
  const summarised = summary === null ? 0 : (before[summary.messages] ?? chars.length);
  return { chars, before, seen, first: Math.max(evictedResults, summarised) };
}
