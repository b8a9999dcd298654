import { z } from "zod";
import { errorResult, type FileState, type ToolResult } from "../core/protocol/tool-result.ts";
import { CancelSignal } from "../core/sessions/engine.ts";
import { asResult, type CallScope, callGuest, type Guest } from "./guest-call.ts";

/** Files that one result names; more are changed, but not listed. */
const MAX_FILES = 1_000;
/** Milliseconds for looking at what a cancelled call has changed: a stop takes effect within a second. */
const AFTER_CANCEL_MS = 500;

const hashesReply = z.object({ hashes: z.array(z.string().nullable()) });

/**
 * Runs a program's call and adds to its result which files it changed, with their hashes as it left them — also
 * when it failed, was stopped at a limit or cancelled. The host knows what was written, whatever the program says.
 */
export async function withChangedFiles(
  files: Guest,
  scope: CallScope,
  work: (scope: CallScope) => Promise<ToolResult>,
): Promise<ToolResult> {
  const changed = new Set<string>();
  const noting: CallScope = {
    ...scope,
    changed: (paths) => {
      for (const path of paths) changed.add(path);
    },
  };
  const result = await asResult(() => work(noting)).catch((error: unknown) => cancelled(error, scope, changed));
  const signal = scope.signal.aborted ? AbortSignal.timeout(AFTER_CANCEL_MS) : scope.signal;
  const states = await statesOf(files, [...changed].slice(0, MAX_FILES), { ...scope, signal, writes: false });
  return states.length === 0 ? result : { ...result, files: [...(result.files ?? []), ...states] };
}

/** A person's stop leaves a result behind when there is something to report; everything else stays thrown. */
function cancelled(error: unknown, { signal }: CallScope, changed: ReadonlySet<string>): ToolResult {
  if (!(signal.reason instanceof CancelSignal) || error !== signal.reason || changed.size === 0) throw error;
  return errorResult(`Cancelled by ${signal.reason.by} while it ran; what it had done until then stays.`, "cancelled");
}

async function statesOf(files: Guest, paths: readonly string[], scope: CallScope): Promise<FileState[]> {
  if (paths.length === 0) return [];
  const { hashes } = await callGuest(files, { body: { op: "hash_all", paths }, reply: hashesReply }, scope);
  return paths.map((path, index) => ({ path, sha256: hashes[index] ?? null, action: "wrote" }));
}
