import type { Projection } from "../events/projection.ts";
import type { Message } from "../protocol/messages.ts";
import { resultChars, resultsOf } from "./projection.ts";

/**
 * The number of results to evict so that those which stay fit the budget (characters); null when they do. It goes down to
 * half the budget at once, so that requests keep an equal beginning for a while; what the model has not seen stays.
 */
export function evictionForBudget(messages: readonly Message[], projection: Projection, budget: number): number | null {
  const { chars, seen, first } = standing(messages, projection);
  let total = chars.slice(first).reduce((sum, each) => sum + each, 0);
  if (total <= budget) return null;
  let evicted = first;
  while (evicted < seen && total > budget / 2) {
    total -= chars[evicted] ?? 0;
    evicted += 1;
  }
  return evicted > projection.evictedResults && evicted > first ? evicted : null;
}

/** The number of results to evict so that those of the newest `rounds` responses stay, and what the model has not seen; null when that is none. */
export function evictionOfRounds(messages: readonly Message[], projection: Projection, rounds: number): number | null {
  const { seen, before } = standing(messages, projection);
  const responses = messages.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
  const oldestKept = responses.at(-1 - rounds);
  const evicted = oldestKept === undefined ? 0 : Math.min(seen, before[oldestKept] ?? 0);
  return evicted > projection.evictedResults ? evicted : null;
}

/** The number of all results, also of those that the model has not seen; null when that is what is evicted. */
export function evictionOfAll(messages: readonly Message[], { evictedResults }: Projection): number | null {
  const all = messages.reduce((sum, message) => sum + resultsOf(message).length, 0);
  return all > evictedResults ? all : null;
}

function standing(messages: readonly Message[], { evictedResults, summary }: Projection) {
  const chars: number[] = [];
  /** Results before each message. */
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
