import { BoundedMap } from "../../core/bounded-map.ts";
import { modelFacts } from "../../core/providers/models/models.ts";
import type { HookedRun, StartingRun } from "../../core/run/run-hooks.ts";
import type { OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { type Reader, readerIn } from "./audience.ts";
import { isCourtesy } from "./learning/lines.ts";
import type { Memories } from "./memories.ts";
import { labelOf } from "./origin.ts";
import { recalledText } from "./recalled-text.ts";
import { memoryWrites } from "./store.ts";

/** Maximum number of memories given to a run. */
const MOST = 5;
/** Maximum share of the model's context window that memories take, and maximum number of tokens in a large one. */
const WINDOW_SHARE = 0.1;
const MAX_TOKENS = 4_000;
/** A memory is noise if it covers less than this share of the question, or less than half of what the best one does. */
const MIN_SHARE = 0.3;
const MIN_OF_BEST = 0.5;
/** Maximum number of running runs whose memories are tracked. */
const MAX_RUNS = 1_000;

/** Recalls memories before a run, and renews them once it has answered. */
export function recallHook(
  memories: Memories,
  { runtime }: Pick<FeatureHost, "runtime">,
): NonNullable<OpenFeature["hook"]> {
  const given = new BoundedMap<string, readonly number[]>(MAX_RUNS);
  return {
    async before(run) {
      const asked = askedBy(run);
      if (asked === null || isCourtesy(asked.query) || (await memories.isPaused(run.session.channelKey))) return null;
      const hits = await memories.search({ ...asked, limit: MOST, origins: ["people"] });
      const least = Math.max(MIN_SHARE, MIN_OF_BEST * Math.max(...hits.map(({ share }) => share)));
      const good = hits.filter(({ share }) => share >= least).map(({ memory }) => memory);
      const held = good.filter(({ endedAt }) => endedAt === null);
      // A replaced memory is only given along with current ones, to show how things came about.
      const used = held.length === 0 ? [] : [...held, ...good.filter(({ endedAt }) => endedAt !== null)];
      const read = recalledText(used, tokensFor(run), memories.linkOf);
      if (read === null) return null;
      const seqs = read.memories.map(({ seq }) => seq);
      given.set(run.runId, seqs);
      return { text: read.text, label: labelOf(read.memories) };
    },
    async after({ runId }, outcome, tx) {
      const used = given.get(runId);
      given.delete(runId);
      if (used === undefined || outcome.type !== "end_turn") return;
      const writes = tx.tables(memoryWrites);
      await writes.renew(used, runtime.clock.now());
      await writes.used(runId, used);
    },
  };
}

/** The question that a run starts with, who asks and where; null if it does not start with words. */
function askedBy({ session, event: { body } }: HookedRun): { readonly query: string; readonly reader: Reader } | null {
  const reader = (personId: string | null) => readerIn(session.thread, session.channelKey, personId);
  if (body.kind === "message") return { query: body.text, reader: reader(body.author.id) };
  return body.kind === "job" ? { query: body.prompt, reader: reader(null) } : null;
}

function tokensFor({ config }: StartingRun): number {
  const [provider = "", ...model] = config.model.split("/");
  const window = config.contextWindow ?? modelFacts(provider, model.join("/")).contextWindow;
  return Math.min(MAX_TOKENS, Math.floor(window * WINDOW_SHARE));
}
