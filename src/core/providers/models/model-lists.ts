import { toAppError } from "../../protocol/errors.ts";
import type { Clock } from "../../protocol/runtime.ts";
import type { ModelInfo, ModelList } from "../provider.ts";
import { rejectIfStalled } from "../stall.ts";

/** How long a list is cached, and how long a failure prevents another request. In milliseconds. */
const HOLDS_MS = 3_600_000;
const FAILURE_HOLDS_MS = 60_000;
/** Time limit of a request, because people wait for it; after that, the list counts as failed. In milliseconds. */
const LIST_MS = 2_500;

/** Providers' own lists of models, cached in memory and requested only when somebody wants to see them. */
export interface ModelLists {
  /** `by`: what the provider was created from; a cached list is valid as long as that stays the same. */
  of(provider: string, by?: unknown): Promise<ModelList>;
  /** A model's entry in the cached list; never sends a request. */
  known(provider: string, model: string): ModelInfo | undefined;
}

export function createModelLists(
  clock: Clock,
  ask: (provider: string, signal: AbortSignal) => Promise<readonly ModelInfo[]>,
): ModelLists {
  const held = new Map<string, { readonly list: ModelList; readonly goodUntil: number; readonly by: unknown }>();
  const coming = new Map<string, { readonly list: Promise<ModelList>; readonly by: unknown }>();

  async function listed(provider: string, by: unknown): Promise<ModelList> {
    const list = await inTime(provider);
    if (coming.get(provider)?.by !== by) return list;
    const goodUntil = clock.now() + (list.type === "listed" ? HOLDS_MS : FAILURE_HOLDS_MS);
    held.set(provider, { list, goodUntil, by });
    coming.delete(provider);
    return list;
  }

  async function inTime(provider: string): Promise<ModelList> {
    const ended = new AbortController();
    const limit = { clock, limitMs: LIST_MS, what: `no list of ${provider}'s models` };
    try {
      return { type: "listed", models: await rejectIfStalled(ask(provider, ended.signal), limit) };
    } catch (error) {
      return { type: "failed", error: toAppError(error) };
    } finally {
      ended.abort();
    }
  }

  return {
    of(provider, by) {
      const known = held.get(provider);
      if (known !== undefined && known.by === by && clock.now() < known.goodUntil) return Promise.resolve(known.list);
      const asked = coming.get(provider);
      if (asked !== undefined && asked.by === by) return asked.list;
      const list = listed(provider, by);
      coming.set(provider, { list, by });
      return list;
    },
    known(provider, model) {
      const list = held.get(provider)?.list;
      return list?.type === "listed" ? list.models.find(({ id }) => id === model) : undefined;
    },
  };
}
