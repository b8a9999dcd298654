import { hash } from "node:crypto";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { unlessMissing } from "../../../core/protocol/system-code.ts";
import { type FileState, fileStateSchema } from "../../../core/protocol/tool-result.ts";
import { fromJson } from "../../../core/text/from-json.ts";
import type { ExecutorWorktree } from "./executor-worktree.ts";

/**
 * What one call of merge_work makes of files, noted before it does. A call that a crash cut is run again and finds files
 * merged already: only the note tells that it was itself, and what they held before.
 */
export interface MergeLog {
  /** What the call has noted of a file before it was cut; null: nothing. */
  noted(file: string): FileState | null;
  /** Resolves once it is durable. */
  note(state: FileState): Promise<void>;
}

export async function openMergeLog(
  worktree: ExecutorWorktree,
  { runId, callId }: { readonly runId: string; readonly callId: string },
): Promise<MergeLog> {
  const name = hash("sha256", `${runId}:${callId}`);
  const log = path.join(worktree.merges, name);
  const logged = (await unlessMissing(readFile(log, "utf8"))) ?? "";
  const states = new Map(logged.split("\n").flatMap(stateOf));
  await mkdir(worktree.merges, { recursive: true });
  return {
    noted: (file) => states.get(file) ?? null,
    // A line of its own also after one that a power cut has torn.
    note: (state) => appendFile(log, `\n${JSON.stringify(state)}`, { flush: true }),
  };
}

/** None for a torn line: its file was not touched. */
function stateOf(line: string): [string, FileState][] {
  const state = fileStateSchema.safeParse(fromJson(line)).data;
  return state === undefined ? [] : [[state.path, state]];
}
