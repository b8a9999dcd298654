import type { SessionSummary } from "../protocol/session-summary.ts";
import { type FileState, isKeptOutput } from "../protocol/tool-result.ts";
import type { CallChanges } from "../store/run/tool-calls.ts";
import type { StoreReads } from "../store/store.ts";

/** What a run has made of one file. */
export interface NetChange {
  /** Relative to the sandbox root. */
  readonly path: string;
  /** sha256 of what it held before; null: there was none; undefined: that is not known. */
  readonly before: string | null | undefined;
  /** As the run left it. */
  readonly after: string | null;
  /** The topmost directory that came to be with it. */
  readonly made?: string;
  /** Somebody else has changed it between two of the run's changes. */
  readonly isInterleaved: boolean;
}

export interface RunChanges {
  readonly runId: string;
  readonly files: readonly NetChange[];
}

/** What a session's runs, with the sub-agents that they began, have made of files; the newest run first. */
export async function changesOfRuns(store: StoreReads, sessionId: string): Promise<RunChanges[]> {
  const { ofSession } = await store.children.family(sessionId, "");
  const children = await Promise.all(
    ofSession.sessionIds.filter((id) => id !== sessionId).map((id) => store.children.get(id)),
  );
  const known = children.filter((child) => child !== null);
  const roots = new Map(known.map(({ id, task }) => [id, task.root.runId]));
  // The call that began a sub-agent repeats what that has changed.
  const repeats = new Set(known.map(({ parentRunId, parentCallId }) => `${parentRunId}:${parentCallId}`));
  // An executor in a worktree changes nothing here; merging its work does, which is a call of its manager.
  const apart = new Set(known.filter(({ task }) => task.isolated === true).map(({ id }) => id));
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

/** Each path once, as the newest run that changed it left it. */
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

/** In order of first change; what ends as it began is left out, and what programs have printed. */
export function netChanges(files: readonly FileState[]): NetChange[] {
  const changes = new Map<string, NetChange>();
  const directories: string[] = [];
  for (const { path, before, sha256: after, made: madeByCall } of files) {
    const first = changes.get(path);
    if (madeByCall !== undefined) directories.push(madeByCall);
    // The file that a directory came to be with may be gone again: others that came after it take it along.
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
