import type { QueryConfig } from "../agents/query-config.ts";
import type { StoredEvent } from "../events/session-event.ts";
import type { OnVote } from "../people/feedback.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import type { Person, ThreadRef } from "../platform/thread.ts";
import type { QueryOutcome } from "../protocol/events.ts";
import type { Log } from "../protocol/log.ts";
import { labelOf, type Message } from "../protocol/messages.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { StoreTransaction } from "../store/store.ts";
import { type Label, outsideOf, unionOf } from "../trust/label.ts";

/**
 * A feature's work before and after each run. If a hook fails, the failure is logged and the run continues without it.
 */
export interface RunHook {
  readonly name: string;
  /**
   * Data to append to the run's newest message before its first request; null for none. It may be called again after a
   * crash that happened before the message was stored.
   */
  readonly before?: (run: StartingRun, signal: AbortSignal) => Promise<string | HookData | null>;
  /** Database work in the transaction that ends the run, done exactly once per run. */
  readonly after?: (run: HookedRun, outcome: QueryOutcome, tx: StoreTransaction) => Promise<void>;
  /** Called after the end of a run is stored. */
  readonly ended?: (outcome: QueryOutcome) => void;
  /** A few words for the run's folded line, beside the figures; null for nothing. */
  readonly note?: (runId: string) => string | null;
  /** Handles a person's newest vote on a run, in the transaction that stores the vote. */
  readonly voted?: OnVote;
  /** What the run's Details show to one reader; null for nothing. */
  readonly details?: (runId: string, reader: DetailsReader) => Promise<HookDetails | null>;
  /** Handles a click on the button below the details. Returns the reply. */
  readonly clicked?: (runId: string, reader: DetailsReader) => Promise<string>;
}

export interface DetailsReader {
  readonly person: Pick<Person, "id" | "name" | "roles">;
  readonly thread: ThreadRef;
}

export interface HookDetails {
  readonly lines: readonly string[];
  /** Label of the button below; absent if there is none. */
  readonly button?: string;
}

export interface HookedRun {
  readonly session: SessionRow;
  readonly runId: string;
  /** The event that began the run. */
  readonly event: StoredEvent;
}

/** A run before its first request. */
export interface StartingRun extends HookedRun {
  readonly config: QueryConfig;
  /** Absolute path. */
  readonly sandboxRoot: string;
  /** Posts a card under a key from `cardKeyOf`, once even across a crash. The run does not wait for an answer. */
  readonly ask: (key: string, card: OutgoingMessage) => Promise<unknown>;
}

/** The key of the card that a hook posts in a run. */
export function cardKeyOf(hook: string): string {
  return `approval:${hook}`;
}

/**
 * Text that a hook adds, with its label. A bare string counts as unknown content. An empty text only adds its label,
 * for content that is elsewhere in the prompt.
 */
export interface HookData {
  readonly text: string;
  readonly label: Label;
}

interface Hooks {
  readonly hooks: readonly RunHook[];
  readonly log: Log;
}

/** Adds the hooks' data to the newest user message of a run's first input that is not mere context. */
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

/** What hooks add to a run's folded line. */
export function notesOf(runId: string, { hooks, log }: Hooks): readonly string[] {
  return hooks.flatMap(({ name, note }) => nullIfFails(() => note?.(runId) ?? [], { feature: name, runId }, log) ?? []);
}

export function notifyRunEnded(runId: string, outcome: QueryOutcome, { hooks, log }: Hooks): void {
  for (const { name, ended } of hooks) nullIfFails(() => ended?.(outcome), { feature: name, runId }, log);
}

function nullIfFails<T>(work: () => T, what: { readonly feature: string; readonly runId: string }, log: Log): T | null {
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
 * Runs a transaction that includes the parts of all hooks. If a hook's part fails, which rolls the transaction back, it
 * is run again without that hook.
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
