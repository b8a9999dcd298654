import type { StoredMessage } from "../events/session-event.ts";
import type { InboundDeletion, Receipt } from "../platform/inbound.ts";
import type { Log } from "../protocol/log.ts";
import type { RunRow } from "../store/runs.ts";
import type { StoreTransaction } from "../store/store.ts";
import { plainLine } from "../text/plain-text.ts";
import { editedKey, keysOf, messageKeyOf } from "./edited-message.ts";
import type { MessageOptions } from "./person-message.ts";

/**
 * Maximum age of a message whose deletion counts, in milliseconds. Older ones are tidied up by people or by the
 * platform, which withdraws nothing.
 */
const MAX_DELETION_AGE_MS = 24 * 60 * 60_000;
/** Maximum length of a deleted message as quoted to the model, in characters. */
const QUOTED_CHARS = 200;

interface Scope extends Pick<MessageOptions, "store" | "engine" | "runtime"> {
  readonly log: Log;
}

/**
 * Takes back what deleted messages asked for. A waiting message is dropped. A run that works on nothing else is
 * stopped, even if only its sub-agents are still active. Any other run that took the message is told. An unknown
 * message costs one query, or none if it is old.
 */
export async function handleDeletion({ messages }: InboundDeletion, options: Scope): Promise<Receipt> {
  const { store, runtime } = options;
  const now = runtime.clock.now();
  const lately = messages.filter(({ at }) => at > now - MAX_DELETION_AGE_MS);
  if (lately.length === 0) return { type: "ignored" };
  const keys = lately.map(({ key }) => key);
  const known = await saidIn(keys, store);
  const unknown = lately
    .filter(({ key, isAddressed }) => isAddressed === true && !known.has(key))
    .map(({ key }) => key);
  if (unknown.length > 0) {
    // The message may be redelivered, or another process may be taking it.
    await store.transaction(async (tx) => {
      for (const key of unknown) await tx.presence.answered(key, now);
    });
    for (const [key, said] of await saidIn(unknown, store)) known.set(key, said);
  }
  for (const [key, said] of known) await withdraw(key, said, options);
  return { type: known.size > 0 ? "accepted" : "ignored" };
}

/**
 * Finds what the messages said, by message key. If a message became a request only through an edit, that edit counts.
 */
async function saidIn(keys: readonly string[], { inbox }: Scope["store"]): Promise<Map<string, StoredMessage>> {
  const events = await inbox.byKeys(keys.flatMap((key) => [key, editedKey(key)]));
  return new Map(
    events.flatMap((event) =>
      event.body.kind === "message" ? [[messageKeyOf(event.key), { ...event, body: event.body }]] : [],
    ),
  );
}

/**
 * Withdraws a message. This happens once across processes: the note's key is unique, and a second deletion finds
 * nothing left.
 */
async function withdraw(
  message: string,
  { sessionId, body: { author, text: deleted, attachments, addressed } }: StoredMessage,
  { engine, runtime, log }: Scope,
): Promise<void> {
  const at = runtime.clock.now();
  const excerpt = plainLine(deleted, QUOTED_CHARS) || attachments.map(({ name }) => name).join(", ");
  const text = `[A message of @${author.name} was deleted: “${excerpt}”. Do not continue with what it asked for, before or after edits, unless someone asks for it again.]`;
  const note = { kind: "note", by: author, text, at } as const;
  let stopped: string[] = [];
  const delivered = await engine.deliver(sessionId, { key: `deleted:${message}`, body: note }, async (tx) => {
    stopped = [];
    await tx.sessions.lock(sessionId);
    // Prevents a later edit from being taken.
    await tx.presence.answered(message, at);
    const runIds = await tx.inbox.withdraw(sessionId, keysOf(message));
    if (!addressed) return false;
    const effects = await Promise.all(runIds.map((runId) => effectOn(runId, tx)));
    stopped = runIds.filter((_, index) => effects[index] === "stops");
    return effects.includes("told");
  });
  for (const runId of stopped) await engine.cancel(sessionId, runId, { by: "deletion" });
  log.info({ sessionId, message, stopped, isTold: delivered === "new" }, "message_withdrawn");
}

/** What happens to a run that has taken the withdrawn message: it stops, or its model is told. Null for nothing. */
async function effectOn(runId: string, tx: StoreTransaction): Promise<"stops" | "told" | null> {
  const run = await tx.runs.get(runId);
  if (run === null || run.cancelledBy !== null) return null;
  const isOpen = run.status !== "ended";
  if (await isAsked(run, tx)) return isOpen ? "told" : null;
  return isOpen || (await tx.children.ofRun(run.sessionId, runId)).length > 0 ? "stops" : null;
}

/** Whether the run still has something to work on: a request, or the event that began it if that is not a message. */
async function isAsked({ id, eventSeq }: RunRow, { inbox }: Pick<StoreTransaction, "inbox">): Promise<boolean> {
  const standing = await inbox.standingOfRun(id);
  return standing.some(({ seq, body }) => (body.kind === "message" ? body.addressed : seq === eventSeq));
}
