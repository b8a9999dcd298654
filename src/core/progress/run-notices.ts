import { z } from "zod";
import type { TurnContext } from "../engine/engine.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import type { RunView } from "./run-view.ts";

const PREFIX = "notice:";
/** More than a live message shows, which joins tries of the same. */
const MOST_READ = 12;

/** The newest things that people were told of a run beside its answer, oldest first. */
export async function noticesOf(store: Store, runId: string): Promise<string[]> {
  const keys = (await store.journal.keysOf(runId, PREFIX)).slice(-MOST_READ);
  const entries = await Promise.all(keys.map((key) => store.journal.get(runId, key)));
  return entries.map(({ value }) => z.string().parse(value));
}

/** The view, whose statuses are journalled unless they pass: after a wait or a restart the run's next view says them, too. */
export function keepingNotices(
  view: RunView,
  context: Pick<TurnContext, "runId" | "transaction">,
  { runtime, log }: { readonly runtime: Pick<Runtime, "ids">; readonly log: Log },
): RunView {
  let keeping: Promise<void> = Promise.resolve();
  const keep = async (text: string, before: Promise<void>) => {
    await before;
    try {
      await context.transaction(`${PREFIX}${runtime.ids.next("ntc")}`, () => Promise.resolve(text));
    } catch (error) {
      // It has been shown; nothing else depends on it.
      log.warn({ runId: context.runId, code: toAppError(error).code }, "notice_not_kept");
    }
  };
  const kept = async (work: () => Promise<void>) => {
    await keeping;
    await work();
  };
  return {
    show(event) {
      if (event.type === "status" && event.passes !== true) keeping = keep(event.text, keeping);
      view.show(event);
    },
    finish: (outcome, stats) => kept(() => view.finish(outcome, stats)),
    park: () => kept(() => view.park()),
    suspend: () => kept(() => view.suspend()),
  };
}
