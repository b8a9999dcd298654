import type { OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { managedBy } from "./as-manager.ts";
import { managedCommand, presetCompletions } from "./command.ts";
import { createMergeWork } from "./merge-work.ts";
import { type ManagedSettings, managedMode } from "./presets.ts";
import { createExecutorWorktrees } from "./worktrees/executor-worktrees.ts";
import { ownFilesIn } from "./worktrees/own-files.ts";
import { keepWorktreesPruned } from "./worktrees/prune-worktrees.ts";

export function openManaged(host: FeatureHost, settings: ManagedSettings): OpenFeature {
  const { store, cluster, runtime, quotas, log } = host;
  const mode = managedMode(settings);
  const worktrees = createExecutorWorktrees(host.home, { quotas, lock: cluster.lock });
  const tools = [createMergeWork({ ...host, worktrees }, host.sandbox.guardedFiles)];
  let stopPruning = async () => {};
  return {
    delegate: (config, session) => managedBy(mode, config, session),
    ownFiles: ownFilesIn(worktrees),
    tools: () => tools,
    commands: { managed: managedCommand(mode) },
    completions: { managed: { preset: () => Promise.resolve(presetCompletions(mode)) } },
    start: async () => {
      const pruning = { worktrees, store, clock: runtime.clock, log };
      stopPruning = cluster.hold("worktrees", (whileHeld) => keepWorktreesPruned(pruning, whileHeld));
    },
    stop: () => stopPruning(),
  };
}
