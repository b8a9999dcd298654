import { z } from "zod";
import { causeText } from "../../core/protocol/cancel-cause.ts";
import { SandboxError } from "../../core/protocol/errors.ts";
import { CancelSignal } from "../../core/protocol/signals.ts";
import { errorResult, type FileState, type ToolResult } from "../../core/protocol/tool-result.ts";
import { withUnreadSecrets } from "../secrets/secret-rule.ts";
import { type FileChange, MAX_KEPT } from "../wasm/workspace/kept-content.ts";
import { unlessRefused } from "../wasm/workspace/refusal.ts";
import { createWorkspace } from "../wasm/workspace/workspace.ts";
import { asResult, type CallScope, callGuest, type Guest } from "./guest-call.ts";

/** Maximum number of changed files listed in one result. */
const MAX_FILES = 1_000;
/** Maximum number of files listed for a cancelled call, because a stop must take effect within a second. */
const MAX_CANCELLED_FILES = 100;

/** Maximum characters of printed output. */
const MAX_PRINTED = 30_000;

const hashesReply = z.object({ hashes: z.array(z.string().nullable()) });

/**
 * Runs a program's call and adds to its result the files that it changed, with their hashes afterwards, even if the
 * call failed, was stopped at a limit or was cancelled. The host knows what was written, whatever the program says.
 */
export async function withChangedFiles(
  files: Guest,
  scope: CallScope,
  work: (scope: CallScope) => Promise<ToolResult>,
): Promise<ToolResult> {
  const changed = new Map<string, FileChange>();
  let printed = "";
  const noting: CallScope = {
    ...scope,
    changed: (files) => {
      for (const file of files) if (!changed.has(file.path)) changed.set(file.path, file);
    },
    printed: (text) => {
      printed = text;
    },
  };
  const readOnly: CallScope = { ...scope, writes: false, hosts: [] };
  // The effects of requests to hosts are unknown, whether or not the program may change files.
  const unseen = scope.hosts !== undefined && scope.hosts.length > 0 ? { mayHaveChanged: true } : {};
  try {
    const result = { ...withPrinted(await asResult(() => work(noting)), printed), ...unseen };
    if (scope.signal.reason instanceof CancelSignal) return withStates(result, cancelledStates(scope, changed));
    const first = [...changed.values()].slice(0, MAX_FILES);
    if (first.length === 0) return result;
    return withStates(
      result,
      withUnreadSecrets(scope.ctx.sandboxRoot, await statesOf(files, first, readOnly), scope.ctx.knownFiles),
    );
  } catch (error) {
    const { reason } = scope.signal;
    if (!(reason instanceof CancelSignal) || error !== reason) throw error;
    if (changed.size === 0 && printed === "" && unseen.mayHaveChanged !== true) throw error;
    const cancelled = { ...withPrinted(errorResult(cancelledText(reason), "cancelled"), printed), ...unseen };
    return withStates(cancelled, cancelledStates(scope, changed));
  }
}

function withStates(result: ToolResult, states: readonly FileState[]): ToolResult {
  return states.length === 0 ? result : { ...result, files: [...(result.files ?? []), ...states] };
}

/** Adds the end of what a program printed before it was stopped. */
function withPrinted(result: ToolResult, printed: string): ToolResult {
  if (printed === "") return result;
  const shown = printed.length > MAX_PRINTED ? `[its end]\n${printed.slice(-MAX_PRINTED).toWellFormed()}` : printed;
  return { ...result, content: [...result.content, { type: "text", text: `Output up to then:\n${shown.trimEnd()}` }] };
}

export function cancelledText({ cause }: CancelSignal): string {
  return `Cancelled by ${causeText(cause)} while it was running; anything it had already done remains.`;
}

function cancelledStates({ ctx }: CallScope, changed: ReadonlyMap<string, FileChange>): FileState[] {
  const first = [...changed.values()].slice(0, MAX_CANCELLED_FILES);
  return withUnreadSecrets(ctx.sandboxRoot, statesAtOnce(ctx.sandboxRoot, first), ctx.knownFiles);
}

/** Hashes without a guest, because there is no time for another call; limited, because nothing else runs meanwhile. */
function statesAtOnce(root: string, changed: readonly FileChange[]): FileState[] {
  const workspace = createWorkspace();
  workspace.bind({ root, writable: false });
  const { functions } = workspace;
  let left = BigInt(MAX_KEPT.callBytes);
  const hashOf = (path: string): string | null | undefined => {
    const { size } = functions.inspect(path);
    if (size > left) return undefined;
    left -= size;
    return functions.hashFile(path) ?? null;
  };
  try {
    return changed.map((file) => stateOf(file, unlessRefused(() => ({ sha256: hashOf(file.path) }))?.sha256));
  } finally {
    workspace.close();
  }
}

/**
 * Hashes the changed files through a guest. If that fails, for example because a file takes too long to read, the
 * hashes are unknown and the call's result stands.
 */
async function statesOf(files: Guest, changed: readonly FileChange[], scope: CallScope): Promise<FileState[]> {
  const paths = changed.map(({ path }) => path);
  const asked = callGuest(files, { body: { op: "hash_all", paths }, reply: hashesReply }, scope);
  const { hashes } = await asked.catch((error: unknown) => {
    if (error instanceof SandboxError) return { hashes: [] };
    throw error;
  });
  return changed.map((file, index) => stateOf(file, hashes[index]));
}

/**
 * If the hash is unknown (null means the file is gone), the former content is dropped: an undo could not tell what it
 * would overwrite.
 */
function stateOf(file: FileChange, sha256: string | null | undefined): FileState {
  if (sha256 === undefined) return { path: file.path, sha256: null, action: "wrote" };
  return { ...file, sha256, action: "wrote" };
}
