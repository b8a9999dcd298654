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
  const looking: CallScope = { ...scope, writes: false };
  try {
    const result = await asResult(() => work(noting));
    const paths = [...changed].slice(0, MAX_FILES);
    return paths.length === 0 ? result : withStates(result, await statesOf(files, paths, looking));
  } catch (error) {
    const { reason } = scope.signal;
    if (!(reason instanceof CancelSignal) || error !== reason) throw error;
    const left = await afterCancel(files, looking, changed);
    if (left.length === 0) throw error;
    const text = `Cancelled by ${reason.by} while it ran; what it had done until then stays.`;
    return withStates(errorResult(text, "cancelled"), left);
  }
}

function withStates(result: ToolResult, states: readonly FileState[]): ToolResult {
  return states.length === 0 ? result : { ...result, files: [...(result.files ?? []), ...states] };
}

/**
 * What a cancelled call has changed; nothing when it cannot be found out in time. A session's calls wait for each
 * other: when the first look is answered, the cancelled guest has ended, and all its changes are known.
 */
async function afterCancel(files: Guest, scope: CallScope, changed: ReadonlySet<string>): Promise<FileState[]> {
  const signal = AbortSignal.timeout(AFTER_CANCEL_MS);
  try {
    await statesOf(files, [], { ...scope, signal });
    return await statesOf(files, [...changed].slice(0, MAX_FILES), { ...scope, signal });
  } catch (error) {
    if (signal.aborted) return [];
    throw error;
  }
}

async function statesOf(files: Guest, paths: readonly string[], scope: CallScope): Promise<FileState[]> {
  const { hashes } = await callGuest(files, { body: { op: "hash_all", paths }, reply: hashesReply }, scope);
  return paths.map((path, index) => ({ path, sha256: hashes[index] ?? null, action: "wrote" }));
}
