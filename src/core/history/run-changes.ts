import type { SessionSummary } from "../protocol/session-summary.ts";
import { type FileState, isKeptOutput } from "../protocol/tool-result.ts";
import type { CallChanges } from "../store/run/tool-calls.ts";
import type { StoreReads } from "../store/store.ts";

/** The net effect of a run on one file. */
export interface NetChange {
  /** Relative to the sandbox root. */
  readonly path: string;
  /** sha256 of the content before; null if there was no file, undefined if unknown. */
  readonly before: string | null | undefined;
  /** sha256 of the content after; null if the file is gone. */
  readonly after: string | null;
  /** The topmost directory that was created together with the file. */
  readonly made?: string;
  /** Whether somebody else changed the file between two of the run's changes. */
  readonly isInterleaved: boolean;
}

export interface RunChanges {
  readonly runId: string;
  readonly files: readonly NetChange[];
}

/**
 * The file changes of a session's runs, including those of their sub-agents. The run with the newest change comes
 * first.
 */
export async function changesOfRuns(store: StoreReads, sessionId: string): Promise<RunChanges[]> {
  const { ofSession } = await store.children.family(sessionId, "");
  const { children } = ofSession;
  const roots = new Map(children.map(({ id, task }) => [id, task.root.runId]));
  // The call that began a sub-agent repeats the sub-agent's changes.
  const repeats = new Set(children.map(({ parentRunId, parentCallId }) => `${parentRunId}:${parentCallId}`));
  // An executor in a worktree changes nothing here. Its manager's call that merges the work does.
  const apart = new Set(children.filter(({ task }) => task.isolated === true).map(({ id }) => id));
  const calls = await store.toolCalls.changes(ofSession.sessionIds.filter((id) => !apart.has(id)));
  const byRun = new Map<string, FileState[]>();
  for (const call of calls) {
    if (repeats.has(`${call.runId}:${call.callId}`)) continue;
    const runId = rootOf(call, roots);
    const before = byRun.get(runId) ?? [];
    byRun.delete(runId); // the run with the newest change comes last
    byRun.set(runId, [...before, ...call.files]);
  }
  return [...byRun].map(([runId, files]) => ({ runId, files: netChanges(files) })).toReversed();
}

/** Each changed path once, as the newest run left it. */
export async function changedFilesOf(store: StoreReads, sessionId: string): Promise<SessionSummary["files"]> {
  const oldestFirst = (await changesOfRuns(store, sessionId)).toReversed();
  const changes = oldestFirst.flatMap(({ files }) => files);
  return [...new Map(changes.map((file) => [file.path, file])).values()].map(({ path, after }) => {
    return { path, isGone: after === null };
  });
}

function rootOf({ sessionId, runId }: CallChanges, roots: ReadonlyMap<string, string>): string {
  return roots.get(sessionId) ?? runId;
}

/**
 * The net changes of a list of file states, in order of first change. Leaves out unchanged files and the kept output of
 * programs.
 */
export function netChanges(files: readonly FileState[]): NetChange[] {
  const changes = new Map<string, NetChange>();
  const directories: string[] = [];
  for (const { path, before, sha256: after, made: madeByCall } of files) {
    const first = changes.get(path);
    if (madeByCall !== undefined) directories.push(madeByCall);
    // The file that a directory was created for may be gone again. Later files in that directory then record it.
    const made =
      madeByCall ?? (before === null ? directories.find((above) => path.startsWith(`${above}/`)) : undefined);
    changes.set(
      path,
      first === undefined
        ? { path, before, after, isInterleaved: false, ...(made === undefined ? {} : { made }) }
        : { ...first, after, isInterleaved: first.isInterleaved || before !== first.after },
    );
  }
  return [...changes.values()].filter(({ path, before, after }) => before !== after && !isKeptOutput(path));
}
