import type { PersonMessageEvent, StoredEvent } from "../events/session-event.ts";
import type { Log } from "../protocol/log.ts";
import type { InboundDeletion, Receipt } from "../protocol/platform.ts";
import type { RunRow } from "../store/runs.ts";
import type { StoreTransaction } from "../store/store.ts";
import { plainLine } from "../text/plain-text.ts";
import { editedKey, keysOf, messageKeyOf } from "./edited-message.ts";
import type { MessageOptions } from "./person-message.ts";

/** What is older is tidied up, also by the platform itself: that takes nothing back. Milliseconds. */
const SECOND_THOUGHTS_MS = 24 * 60 * 60_000;
/** Characters of a deleted message that the model is told, to know which it was. */
const QUOTED_CHARS = 200;

interface Scope extends Pick<MessageOptions, "store" | "engine" | "runtime"> {
  readonly log: Log;
}

interface Said extends StoredEvent {
  readonly body: PersonMessageEvent;
}

/**
 * Takes back what deleted messages asked for: one that waits is dropped, a run that works on nothing else is stopped, also
 * where only its sub-agents still do, and any other run is told. A message that is nobody's costs one look, and none when it
 * is old.
 */
export async function takeDeletion({ messages }: InboundDeletion, options: Scope): Promise<Receipt> {
  const { store, runtime } = options;
  const now = runtime.clock.now();
  const lately = messages.filter(({ at }) => at > now - SECOND_THOUGHTS_MS);
  if (lately.length === 0) return { type: "ignored" };
  const keys = lately.map(({ key }) => key);
  const known = await saidIn(keys, store);
  const unknown = lately
    .filter(({ key, isAddressed }) => isAddressed === true && !known.has(key))
    .map(({ key }) => key);
  if (unknown.length > 0) {
    // Its delivery may be tried again, or be under way in another process.
    await store.transaction(async (tx) => {
      for (const key of unknown) await tx.presence.answered(key, now);
    });
    for (const [key, said] of await saidIn(unknown, store)) known.set(key, said);
  }
  for (const [key, said] of known) await withdraw(key, said, options);
  return { type: known.size > 0 ? "accepted" : "ignored" };
}

/** What messages have said, by their keys: as a request, where one is it only since it was edited. */
async function saidIn(keys: readonly string[], { inbox }: Scope["store"]): Promise<Map<string, Said>> {
  const events = await inbox.byKeys(keys.flatMap((key) => [key, editedKey(key)]));
  return new Map(
    events.flatMap((event) =>
      event.body.kind === "message" ? [[messageKeyOf(event.key), { ...event, body: event.body }]] : [],
    ),
  );
}

/** Once, whichever process: the note's key is unique, and of two deletions the second finds what the first has left. */
async function withdraw(
  message: string,
  { sessionId, body: { author, text, attachments, addressed } }: Said,
  { engine, runtime, log }: Scope,
): Promise<void> {
  const at = runtime.clock.now();
  const said = plainLine(text, QUOTED_CHARS) || attachments.map(({ name }) => name).join(", ");
  const note = { kind: "note", by: author, text: withdrawnText(`@${author.name}`, said), at } as const;
  let stopped: string[] = [];
  const told = await engine.deliver(sessionId, { key: deletedKey(message), body: note }, async (tx) => {
    stopped = [];
    await tx.sessions.lock(sessionId);
    // Nor is it taken as an edit later.
    await tx.presence.answered(message, at);
    const runIds = await tx.inbox.withdraw(sessionId, keysOf(message));
    if (!addressed) return false;
    const fates = await Promise.all(runIds.map((runId) => fateOf(runId, tx)));
    stopped = runIds.filter((_, index) => fates[index] === "stops");
    return fates.includes("told");
  });
  for (const runId of stopped) await engine.cancel(sessionId, runId, { by: "deletion" });
  log.info({ sessionId, message, stopped, isTold: told === "new" }, "message_withdrawn");
}

/** What becomes of a run that has taken a message which is withdrawn now; null: nothing. */
async function fateOf(runId: string, tx: StoreTransaction): Promise<"stops" | "told" | null> {
  const run = await tx.runs.get(runId);
  if (run === null || run.cancelledBy !== null) return null;
  const isOpen = run.status !== "ended";
  if (await isAsked(run, tx)) return isOpen ? "told" : null;
  return isOpen || (await tx.children.ofRun(run.sessionId, runId)).length > 0 ? "stops" : null;
}

/** Whether there is still something that a run works on: what began it, where no message did, or a request. */
async function isAsked({ id, eventSeq }: RunRow, { inbox }: Pick<StoreTransaction, "inbox">): Promise<boolean> {
  const standing = await inbox.standingOfRun(id);
  return standing.some(({ seq, body }) => (body.kind === "message" ? body.addressed : seq === eventSeq));
}

/** The key of what the model is told of a message's deletion. */
function deletedKey(message: string): string {
  return `deleted:${message}`;
}

function withdrawnText(whose: string, said: string): string {
  return `[A message of ${whose} was deleted: “${said}”. What it asked for, also since it was edited, is not to be gone on with unless someone asks for it again.]`;
}
