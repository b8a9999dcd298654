import { z } from "zod";
import type { TurnContext } from "../engine/engine.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";
import type { RunView } from "./run-view.ts";

const PREFIX = "notice:";
/** Maximum number of notices to restore. A live message shows fewer, and joins repeated ones. */
const MAX_READ = 12;

/** The newest notices that people have seen during a run, oldest first. */
export async function noticesOf(store: Store, runId: string): Promise<string[]> {
  const keys = (await store.journal.keysOf(runId, PREFIX)).slice(-MAX_READ);
  const entries = await Promise.all(keys.map((key) => store.journal.get(runId, key)));
  return entries.map(({ value }) => z.string().parse(value));
}

/**
 * Wraps a view so that lasting statuses are journalled, and the run's next view can show them after a wait or a
 * restart.
 */
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
      // The notice has been shown, and nothing else depends on storing it.
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
