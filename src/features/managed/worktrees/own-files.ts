import type { OwnFiles } from "../../../tools/own-files.ts";
import { Refusal } from "../../../tools/wasm/workspace/refusal.ts";
import { MERGE_WORK } from "../managed-agents.ts";
import { describeChanges } from "./diff.ts";
import type { ExecutorWorktrees } from "./executor-worktrees.ts";

/** Offers worktrees to the tools that start sub-agents and inspect their files. */
export function ownFilesIn(worktrees: ExecutorWorktrees): OwnFiles {
  return {
    async make(sessionId, place, signal) {
      await worktrees.make(sessionId, place, signal);
      return worktrees.of(sessionId).tree;
    },
    // The report reaches its reader even if the copy cannot be compared.
    async changes(sessionId, signal) {
      try {
        const worktree = worktrees.of(sessionId);
        const changes = await describeChanges(await worktrees.changes(sessionId, signal), { worktree, signal });
        return `[In its copy, agent_id ${sessionId}; ${MERGE_WORK} brings it into the files here]\n${changes}`;
      } catch (error) {
        if (error instanceof Refusal) return `[Its changes cannot be shown. ${error.payload}]`;
        throw error;
      }
    },
    gitOf: (sandboxRoot) => worktrees.at(sandboxRoot)?.git ?? null,
  };
}
