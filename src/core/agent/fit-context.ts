import { evictionForBudget, evictionOfAll, evictionOfRounds } from "../context/result-eviction.ts";
import { summaryEnd } from "../context/summary.ts";
import type { QueryEvent } from "../protocol/events.ts";
import { contextWindowOf } from "./context-gauge.ts";
import type { Loop } from "./loop.ts";
import type { OpenRun } from "./open-run.ts";
import { summarise } from "./summarise.ts";

/** How full the model's window must be for each measure, as a share. */
const FILLS = { evict: 0.8, summarise: 0.9, warn: 0.95 };
/** How many of the newest responses keep their tool results. The values are tried in order until the rest fits. */
const KEPT_ROUNDS = [5, 2, 0];
/** Number of consecutive failed summaries after which none is tried any more. */
const MAX_FAILURES = 3;

/**
 * Makes room in the next request, mildest measure first: it evicts results over their budget, then old results, then
 * summarises the head of the conversation. Each step is journalled, so that the same request is sent after a restart.
 * Ends early if the signal aborts.
 */
export async function* fitContext(loop: Loop, signal: AbortSignal): AsyncGenerator<QueryEvent, void> {
  const { query, run, gauge } = loop;
  const { messages, projection } = run.state;
  await evict(run, evictionForBudget(messages, projection, query.config.toolResultBudget));
  const window = await contextWindowOf(loop);
  if (window === null) return;

  const fill = () => gauge.inputTokens() / window;
  if (fill() < FILLS.evict) return;
  yield* warnOnce(loop, FILLS.evict, `⚠ This thread fills ${percent(fill())} of the model's memory.`);
  for (const rounds of KEPT_ROUNDS) {
    if (fill() < FILLS.evict) return;
    await evict(run, evictionOfRounds(run.state.messages, run.state.projection, rounds));
  }
  const maySummarise = run.state.projection.failures < MAX_FAILURES;
  if (fill() >= FILLS.summarise && maySummarise) yield* summarise(loop, window, signal);
  if (fill() < FILLS.warn) return;
  const overfull = `⚠ This thread fills ${percent(fill())} of the model's memory, and I can't shorten it further. \`/new\` starts a new session.`;
  yield* warnOnce(loop, FILLS.warn, overfull);
}

/**
 * Makes room after the provider has refused a request as too long. As a last resort it also evicts results that the
 * model has not seen, because no request would get through with them. Returns false if there was nothing to shorten, so
 * that sending the request again is pointless.
 */
export async function* shortenContext(loop: Loop, signal: AbortSignal): AsyncGenerator<QueryEvent, boolean> {
  const { run } = loop;
  const { evictedResults, summary } = run.state.projection;
  const isShorter = () =>
    run.state.projection.evictedResults !== evictedResults || run.state.projection.summary !== summary;
  await evict(run, evictionOfRounds(run.state.messages, run.state.projection, 0));
  const window = await contextWindowOf(loop);
  if (window !== null && summaryEnd(run.state.messages, run.state.projection) !== null) {
    yield* summarise(loop, window, signal);
  }
  if (!isShorter()) await evict(run, evictionOfAll(run.state.messages, run.state.projection));
  return isShorter();
}

/** Warns people once per run. */
function* warnOnce({ warnedShares }: Loop, share: number, text: string): Generator<QueryEvent> {
  if (!warnedShares.has(share)) yield { type: "status", text };
  warnedShares.add(share);
}

async function evict(run: OpenRun, evictedResults: number | null): Promise<void> {
  if (evictedResults === null) return;
  await run.projected({ ...run.state.projection, evictedResults }, null);
}

function percent(fill: number): string {
  return fill > 1 ? "more than 100 %" : `${Math.round(fill * 100)} %`;
}
