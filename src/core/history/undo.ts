import type { SessionEngine } from "../engine/engine.ts";
import type { ThreadRef } from "../platform/thread.ts";
import type { Author } from "../protocol/messages.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { FileStep, UndoRow } from "../store/run/undos.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";
import { inlineCode } from "../text/plain-text.ts";
import type { FileOutcome, RestoreFiles } from "./file-restore.ts";
import { changesOfRuns, type NetChange } from "./run-changes.ts";

export interface UndoOptions {
  readonly store: Store;
  readonly engine: SessionEngine;
  readonly runtime: Runtime;
  readonly restoreFiles: RestoreFiles;
  readonly session: SessionRow;
  readonly thread: ThreadRef;
  readonly person: Author;
  /** Whether the person may restore files that agents take instructions from, for the run that changed them. */
  readonly mayInstruct: (runId: string) => Promise<boolean>;
}

/** What happened to one file. */
export interface UndoneFile {
  readonly path: string;
  readonly outcome: FileOutcome;
}

/** Restores the files of the newest run that changed any and was not undone; null if there is none. */
export async function undoLastRun(options: UndoOptions): Promise<readonly UndoneFile[] | null> {
  const { store, session } = options;
  const [runs, undos] = await Promise.all([changesOfRuns(store, session.id), store.undos.ofSession(session.id)]);
  const undone = new Set(undos.filter(({ state }) => state === "undone").map(({ runId }) => runId));
  const run = runs.find(({ runId, files }) => files.length > 0 && !undone.has(runId));
  if (run === undefined) return null;
  const plans = run.files.map(planOf);
  const steps = plans.flatMap((plan) => ("step" in plan ? [plan.step] : []));
  const outcomes = await restoreSteps(steps, run.runId, options);
  const files = plans.map((plan): UndoneFile => {
    if (!("step" in plan)) return plan;
    return { path: plan.step.path, outcome: outcomes.get(plan.step) ?? { type: "changed" } };
  });
  const restored = steps.filter((step) => outcomes.get(step)?.type === "restored");
  if (restored.length > 0) await record({ runId: run.runId, state: "undone", files: restored }, files, options);
  return files;
}

/** Reapplies what was undone last; null if there is nothing to redo. */
export async function redoLastUndo(options: UndoOptions): Promise<readonly UndoneFile[] | null> {
  const { store, session } = options;
  const [last] = await store.undos.ofSession(session.id);
  if (last === undefined || last.state === "redone") return null;
  const steps = last.files.map(({ path, from, to }): FileStep => ({ path, from: to, to: from }));
  const outcomes = await restoreSteps(steps, last.runId, options);
  const files = steps.map(
    (step): UndoneFile => ({ path: step.path, outcome: outcomes.get(step) ?? { type: "changed" } }),
  );
  const isDone = [...outcomes.values()].some(({ type }) => type === "restored");
  if (isDone) await record({ runId: last.runId, state: "redone", files: last.files }, files, options);
  return files;
}

/** The step that restores a file, or the reason why it cannot be restored. */
function planOf({ path, before, after, isInterleaved, made }: NetChange): { readonly step: FileStep } | UndoneFile {
  if (isInterleaved) return { path, outcome: { type: "changed" } };
  if (before === undefined) return { path, outcome: { type: "not_kept" } };
  return { step: { path, from: after, to: before, ...(made === undefined ? {} : { made }) } };
}

async function restoreSteps(
  steps: readonly FileStep[],
  runId: string,
  { restoreFiles, thread, mayInstruct }: UndoOptions,
): Promise<ReadonlyMap<FileStep, FileOutcome>> {
  const outcomes = await restoreFiles({ thread, steps, instructions: await mayInstruct(runId) });
  return new Map(
    steps.flatMap((step, index): [FileStep, FileOutcome][] => {
      const outcome = outcomes[index];
      return outcome === undefined ? [] : [[step, outcome]];
    }),
  );
}

/**
 * Records what was done and tells the model, in one transaction. If a crash comes first, a repetition finds all files
 * in place.
 */
async function record(
  row: Pick<UndoRow, "runId" | "state" | "files">,
  files: readonly UndoneFile[],
  { engine, runtime, session, person }: UndoOptions,
): Promise<void> {
  const at = runtime.clock.now();
  const by = `@${person.name}`;
  const body = { kind: "note", by: person, text: noteText(row.state, by, files), at } as const;
  await engine.deliver(session.id, { key: `undo:${runtime.ids.next("und")}`, body }, async (tx) => {
    await tx.undos.put({ ...row, sessionId: session.id, by, at });
    return true;
  });
}

/** Maximum number of paths that are named. */
const NAMED = 20;
const PATH_CHARS = 200;

function noteText(state: UndoRow["state"], by: string, files: readonly UndoneFile[]): string {
  const done = files.filter(({ outcome }) => outcome.type === "restored").map(({ path }) => path);
  const left = files.filter(({ outcome }) => outcome.type !== "restored").map(({ path }) => path);
  const what =
    state === "undone"
      ? `${by} has undone your changes to these files: ${listPaths(done)}.`
      : `${by} has redone your changes to these files: ${listPaths(done)}.`;
  const rest = left.length === 0 ? "" : ` Not touched: ${listPaths(left)}.`;
  return `[${what}${rest} Do not make or undo these changes again unless asked; read a file before you change it.]`;
}

/** Lists paths in a sentence; those beyond the limit are only counted. */
export function listPaths(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED).map((path) => inlineCode(path, PATH_CHARS));
  const more = paths.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
