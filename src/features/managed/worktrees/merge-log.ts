import { hash } from "node:crypto";
import { appendFile, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { unlessMissing } from "../../../core/protocol/system-code.ts";
import { type FileState, fileStateSchema } from "../../../core/protocol/tool-result.ts";
import { fromJson } from "../../../core/text/from-json.ts";
import type { ExecutorWorktree } from "./executor-worktree.ts";

/**
 * Records what one call of merge_work does to each file before it does it. If a crash interrupts the call, its next run
 * finds files already merged; only the log shows that the call itself merged them, and what they contained before.
 */
export interface MergeLog {
  /** The state that the call recorded for a file before it was interrupted; null if none. */
  noted(file: string): FileState | null;
  /** Resolves once the record is on disk. */
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
    // Starts on a new line, since a power failure may have left an incomplete one.
    note: (state) => appendFile(log, `\n${JSON.stringify(state)}`, { flush: true }),
  };
}

/** Empty for an incomplete line, whose file was not touched yet. */
function stateOf(line: string): [string, FileState][] {
  const state = fileStateSchema.safeParse(fromJson(line)).data;
  return state === undefined ? [] : [[state.path, state]];
}
