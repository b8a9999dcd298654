import type { QueryConfig } from "../agents/query-config.ts";
import type { StoredEvent } from "../events/session-event.ts";
import type { Voted } from "../people/feedback.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import type { Log } from "../protocol/log.ts";
import { labelOf, type Message } from "../protocol/messages.ts";
import type { OutgoingMessage, Person, ThreadRef } from "../protocol/platform.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";
import { type Label, outsideOf, unionOf } from "../trust/label.ts";

/** What a feature does around each run. A hook that fails is logged, and the run goes on without it. */
export interface RunHook {
  /** The feature's. */
  readonly name: string;
  /**
   * Data for the run's first request, which becomes part of its newest message; null for none. It may be asked again after a
   * crash, as long as the message is not in the history.
   */
  readonly before?: (run: StartingRun, signal: AbortSignal) => Promise<string | HookData | null>;
  /** Database work, in the transaction that ends the run: done exactly once for each. */
  readonly after?: (run: HookedRun, outcome: QueryOutcome, tx: StoreTransaction) => Promise<void>;
  /** Its end is stored. */
  readonly ended?: (outcome: QueryOutcome) => void;
  /** What its folded line says beside the figures, in a few words; null for nothing. */
  readonly note?: (runId: string) => string | null;
  /** A person's newest vote on a run, in the transaction that stores it. */
  readonly voted?: Voted;
  /** What the Details of a run say of it to somebody; null for nothing. */
  readonly details?: (runId: string, reader: DetailsReader) => Promise<HookDetails | null>;
  /** What the button beneath them does, once it is clicked; answers in words. */
  readonly clicked?: (runId: string, reader: DetailsReader) => Promise<string>;
}

export interface DetailsReader {
  readonly person: Pick<Person, "id" | "name" | "roles">;
  readonly thread: ThreadRef;
}

export interface HookDetails {
  /** Lines of Markdown. */
  readonly lines: readonly string[];
  /** What the button below is called; absent: there is none. */
  readonly button?: string;
}

export interface HookedRun {
  readonly session: SessionRow;
  readonly runId: string;
  /** What began it. */
  readonly event: StoredEvent;
}

/** A run before its first request. */
export interface StartingRun extends HookedRun {
  readonly config: QueryConfig;
  /** Absolute path. */
  readonly sandboxRoot: string;
  /** Posts a card under a key (`cardKeyOf`), once, also across a crash; the run waits for no answer. */
  readonly ask: (key: string, card: OutgoingMessage) => Promise<unknown>;
}

/** The key of the card that a hook posts in a run. */
export function cardKeyOf(hook: string): string {
  return `approval:${hook}`;
}

/** What a hook adds, and whose it is; of a bare text nobody knows. Without a text it says whose something in the prompt is. */
export interface HookData {
  readonly text: string;
  readonly label: Label;
}

interface Hooks {
  readonly hooks: readonly RunHook[];
  readonly log: Log;
}

/** What a run reads first, with the data of hooks in the newest message that is somebody's. */
export async function withHookData(
  messages: readonly Message[],
  run: StartingRun,
  { hooks, log, signal }: Hooks & { readonly signal: AbortSignal },
): Promise<readonly Message[]> {
  const newest = messages.findLastIndex(({ role, context }) => role === "user" && context !== true);
  if (newest === -1) return messages;
  const blocks: Message["content"][number][] = [];
  const labels: Label[] = [];
  for (const { name, before } of hooks) {
    try {
      const given = (await before?.(run, signal)) ?? null;
      if (given === null || given === "") continue;
      const unlabelled: Label = { who: [outsideOf(name)], holds: ["files"] };
      const { text, label } = typeof given === "string" ? { text: given, label: unlabelled } : given;
      if (text !== "") blocks.push({ type: "text", text, isAdded: true });
      labels.push(label);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error, feature: name, runId: run.runId }, "hook_failed");
    }
  }
  if (labels.length === 0) return messages;
  return messages.map((message, index) =>
    index === newest
      ? { ...message, content: [...message.content, ...blocks], label: unionOf([labelOf([message]), ...labels]) }
      : message,
  );
}

/** What hooks say of a run in its folded line. */
export function notesOf(runId: string, { hooks, log }: Hooks): readonly string[] {
  return hooks.flatMap(
    ({ name, note }) => unlessItFails(() => note?.(runId) ?? [], { feature: name, runId }, log) ?? [],
  );
}

/** Tells hooks that a run has ended. */
export function tellEnded(runId: string, outcome: QueryOutcome, { hooks, log }: Hooks): void {
  for (const { name, ended } of hooks) unlessItFails(() => ended?.(outcome), { feature: name, runId }, log);
}

function unlessItFails<T>(
  work: () => T,
  what: { readonly feature: string; readonly runId: string },
  log: Log,
): T | null {
  try {
    return work();
  } catch (error) {
    log.warn({ err: error, ...what }, "hook_failed");
    return null;
  }
}

class HookFailure extends Error {
  readonly hook: string;
  constructor(hook: string, cause: unknown) {
    super(`the hook of ${hook} failed`, { cause });
    this.hook = hook;
  }
}

/**
 * Does work whose transaction hooks take a part in: what it is given has them do theirs. A hook that fails has undone the
 * transaction, which is then made without that hook.
 */
export async function withHooks<A extends readonly unknown[], T>(
  work: (parts: (...given: A) => Promise<void>) => Promise<T>,
  part: (hook: RunHook, ...given: A) => Promise<void> | undefined,
  { hooks, log, runId }: Hooks & { readonly runId: string },
): Promise<T> {
  const parts = async (...given: A) => {
    for (const hook of hooks) {
      try {
        await part(hook, ...given);
      } catch (error) {
        throw new HookFailure(hook.name, error);
      }
    }
  };
  try {
    return await work(parts);
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    log.error({ err: error, feature: error.hook, runId }, "hook_failed");
    return withHooks(work, part, { hooks: hooks.filter(({ name }) => name !== error.hook), log, runId });
  }
}
