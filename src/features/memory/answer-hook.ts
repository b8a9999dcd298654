import { channelKeyOf } from "../../core/platform/thread.ts";
import type { RunHook } from "../../core/run/run-hooks.ts";
import { counted } from "../../core/text/counted.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { readerIn } from "./audience.ts";
import { listedLine } from "./listed-line.ts";
import type { Memories } from "./memories.ts";
import { mayChange } from "./rights.ts";
import { memoryWrites } from "./store.ts";

const WORTH = { up: 1, down: -1 } as const;

/** What people can see and do about a run's memories after its answer. */
export function answerHook(
  memories: Memories,
  { admins }: Pick<FeatureHost, "admins">,
): Pick<RunHook, "voted" | "details" | "clicked"> {
  return {
    async voted({ runId, value, before }, tx) {
      const by = WORTH[value] - (before === null ? 0 : WORTH[before]);
      if (by !== 0) await tx.tables(memoryWrites).helped(runId, by);
    },

    async details(runId, { person, thread }) {
      const { used, added } = await memories.ofRun(runId, readerIn(thread, channelKeyOf(thread), person.id));
      const list = (title: string, of: typeof used) =>
        of.length === 0 ? [] : [`**${title}**`, ...of.map((memory) => listedLine(memory, memories))];
      const lines = [...list("From memory", used), ...list("Remembered", added)];
      const isOwn = added.some((memory) => mayChange(memory, person, admins));
      return { lines, ...(isOwn ? { button: "Forget what was remembered" } : {}) };
    },

    async clicked(runId, { person, thread }) {
      const { added } = await memories.ofRun(runId, readerIn(thread, channelKeyOf(thread), person.id));
      const own = added.filter((memory) => mayChange(memory, person, admins));
      if (own.length === 0) return "There is nothing left that you can delete.";
      await memories.forget(own.map(({ seq }) => seq));
      return `✓ Forgotten: ${counted(own.length, "memory", "memories")} from this run.`;
    },
  };
}
