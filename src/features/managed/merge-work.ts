import { z } from "zod";
import { MANAGER_ROLE } from "../../core/agents/delegation.ts";
import type { Cluster } from "../../core/cluster.ts";
import type { ChildReport } from "../../core/events/child-event.ts";
import { causeText } from "../../core/protocol/cancel-cause.ts";
import { errorResult, type ToolResult } from "../../core/protocol/tool-result.ts";
import { reportOf } from "../../core/store/child-status.ts";
import type { Store } from "../../core/store/store.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";
import { type Label, UNKNOWN_LABEL, unionOf } from "../../core/trust/label.ts";
import type { Quotas } from "../../tools/quotas/quotas.ts";
import { asResult, orRefusal } from "../../tools/sandboxed/guest-call.ts";
import { Refusal } from "../../tools/wasm/workspace/refusal.ts";
import { MERGE_WORK } from "./managed-agents.ts";
import { describeChanges, plainPath } from "./worktrees/diff.ts";
import type { ExecutorWorktrees } from "./worktrees/executor-worktrees.ts";
import { type Merged, type MergedFile, mergeChanges } from "./worktrees/merge.ts";
import { openMergeLog } from "./worktrees/merge-log.ts";

const input = z.object({ agent_id: z.string().trim().min(1).describe("The executor's id, from its report.") });

interface Until {
  readonly reading: AbortSignal;
  readonly merging: AbortSignal;
}

/**
 * Time limit for describing what an interrupted call did, in milliseconds: a worktree may be large, and the person who
 * stopped it waits.
 */
const DESCRIBE_MS = 10_000;

interface MergeParts {
  readonly store: Store;
  readonly worktrees: ExecutorWorktrees;
  readonly snapshots: string;
  readonly quotas?: Quotas;
  readonly cluster: Pick<Cluster, "lock">;
}

/** Merges an executor's changes from its worktree into the channel's files. */
export function createMergeWork(
  { store, worktrees, snapshots, quotas, cluster }: MergeParts,
  guardedFiles: readonly string[],
): Tool {
  const merge = async (id: string, ctx: ToolContext, until: Until): Promise<ToolResult> => {
    const { label = UNKNOWN_LABEL } = await requireEnded(id, ctx, store);
    const [worktree, changes] = [worktrees.of(id), await worktrees.changes(id, until.reading)];
    const log = await openMergeLog(worktree, ctx);
    const { sandboxRoot: root, personId, channelKey } = ctx;
    const place = { root, personId, channelKey };
    await quotas?.ready(place);
    const take = (bytes: number) => quotas?.take(place, bytes);
    const signal = until.merging;
    // If already stopped, it changes nothing.
    const wait = { signal, queued: (before: number) => ctx.queued(before) };
    using lock = signal.aborted ? null : await cluster.lock(root, wait);
    const requireHeld = async () => lock?.requireHeld();
    const into = { root, guardedFiles, worktree, snapshots, log, signal, take, requireHeld };
    const merged = await mergeChanges(changes, into);
    if (merged.stoppedBy === null && merged.files.every(isTaken)) await worktrees.taken(id);
    return { ...resultOf(merged), label: unionOf([label, FILES]) };
  };
  return defineTool({
    name: MERGE_WORK,
    description:
      "Merges the changes of a finished executor from its copy into the files here. Changes made here since are kept: files are merged by " +
      "line, and where both sides changed the same lines, the file stays as it is here and is reported as a conflict. " +
      "Give conflicts to an executor, with both versions.",
    input,
    permission: "write",
    onlyFor: MANAGER_ROLE,
    parallel: false,
    afterCrash: "replay",
    grant: () => ({ key: MERGE_WORK, label: "merging executors' work" }),
    title: ({ agent_id: id }) => id,
    preview: ({ agent_id: id }, ctx, signal) =>
      orRefusal(async () => {
        await requireEnded(id, ctx, store);
        const text = await describeChanges(await worktrees.changes(id, signal), {
          worktree: worktrees.of(id),
          signal,
          whole: true,
        });
        return {
          question: `Merge the work of ${id}?`,
          language: "diff",
          text,
          reach: "Changes files in the sandbox of this channel.",
        };
      }),
    execute: ({ agent_id: id }, ctx, signal) => asResult(() => merge(id, ctx, { reading: signal, merging: signal })),
    // The signal is already aborted, so nothing more is merged and the result reports what had been.
    describePartialWork: ({ agent_id: id }, ctx, signal) =>
      asResult(() => merge(id, ctx, { reading: AbortSignal.timeout(DESCRIBE_MS), merging: signal })),
  });
}

/** The executor's final report, whose label its work gets. */
async function requireEnded(id: string, ctx: ToolContext, store: Store): Promise<ChildReport> {
  const child = await store.children.get(id);
  if (child === null || child.parentId !== ctx.sessionId) throw new Refusal(`You have no executor ${id}.`);
  if (child.task.isolated !== true)
    throw new Refusal("It worked directly in the files here, so there is nothing to merge.");
  const report = await reportOf(store, id);
  if (report === null) throw new Refusal("It has not ended yet; wait for its report.");
  return report;
}

const FILES: Label = { who: [], holds: ["files"] };

/** Whether the executor's content is in the channel's files. */
function isTaken({ outcome }: MergedFile): boolean {
  return outcome === "merged" || outcome === "there already";
}

function resultOf({ files, stoppedBy }: Merged): ToolResult {
  const isStopped = stoppedBy !== null;
  if (files.length === 0 && !isStopped)
    return errorResult("It changed no files: there is nothing to merge.", "nothing to merge");
  const lines = files.map(({ outcome, path, why }) => `${outcome}: ${plainPath(path)}${why === "" ? "" : ` (${why})`}`);
  const conflicts = files.filter(({ outcome }) => outcome === "conflict").length;
  const merged = files.filter(({ outcome }) => outcome === "merged").length;
  if (isStopped)
    lines.push(
      `Cancelled by ${causeText(stoppedBy)} before the rest was merged; what had already been merged remains.`,
    );
  if (conflicts > 0) lines.push(CONFLICTS);
  const summary = conflicts === 0 ? `${merged} merged` : `${merged} merged, ${conflicts} in conflict`;
  return {
    content: [{ type: "text", text: lines.join("\n") }],
    isError: isStopped || conflicts > 0,
    summary: isStopped ? `cancelled, ${summary}` : summary,
    files: files.flatMap(({ state }) => state ?? []),
  };
}

const CONFLICTS =
  "The conflicting files were not changed here; the executor's versions stay in its copy, and its report shows them.";
