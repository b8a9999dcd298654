import type { StoredEvent } from "../events/session-event.ts";
import type { InboundDeletion, Receipt } from "../protocol/platform.ts";
import type { RunRow } from "../store/runs.ts";
import type { StoreTransaction } from "../store/store.ts";
import { plainLine } from "../text/plain-text.ts";
import { editedKey, messageKeyOf, type Request, requestIn } from "./edited-message.ts";
import type { MessageOptions } from "./person-message.ts";

/** What is older is tidied up, also by the platform itself: that takes nothing back. Milliseconds. */
const SECOND_THOUGHTS_MS = 24 * 60 * 60_000;
/** Characters of a deleted message that the model is told, to know which it was. */
const QUOTED_CHARS = 200;

type Scope = Pick<MessageOptions, "store" | "engine" | "runtime">;

/**
 * Takes back what deleted messages asked for: one that waits is dropped, a run that works on nothing else is stopped, and any
 * other run is told. What has ended stays. A message that is no request costs one look, and none when it is old.
 */
export async function takeDeletion({ messages }: InboundDeletion, options: Scope): Promise<Receipt> {
  const { store, runtime } = options;
  const now = runtime.clock.now();
  const lately = messages.filter(({ at }) => at > now - SECOND_THOUGHTS_MS);
  if (lately.length === 0) return { type: "ignored" };
  const keys = lately.map(({ key }) => key);
  const known = await requestsOf(keys, store);
  const unknown = lately
    .filter(({ key, isAddressed }) => isAddressed === true && !known.has(key))
    .map(({ key }) => key);
  if (unknown.length > 0) {
    // Its delivery may be tried again, or be under way in another process.
    await store.transaction(async (tx) => {
      for (const key of unknown) await tx.presence.answered(key, now);
    });
    for (const [key, request] of await requestsOf(unknown, store)) known.set(key, request);
  }
  for (const request of known.values()) await withdraw(request, options);
  return { type: known.size > 0 ? "accepted" : "ignored" };
}

/** The requests that messages are, also since they were edited, by the messages' keys. */
async function requestsOf(keys: readonly string[], { inbox }: Scope["store"]): Promise<Map<string, Request>> {
  const events = await inbox.byKeys(keys.flatMap((key) => [key, editedKey(key)]));
  const requests = events.map(requestIn).filter((request) => request !== null);
  return new Map(requests.map((request) => [messageKeyOf(request.key), request]));
}

/** Once, whichever process: the note's key is unique, and of two deletions the second finds what the first has left. */
async function withdraw(
  { key, sessionId, body: { author, text, attachments } }: Request,
  options: Scope,
): Promise<void> {
  const { engine, runtime } = options;
  const at = runtime.clock.now();
  const message = messageKeyOf(key);
  const said = plainLine(text, QUOTED_CHARS) || attachments.map(({ name }) => name).join(", ");
  const note = { kind: "note", by: author, text: withdrawnText(`@${author.name}`, said), at } as const;
  let stopped: string | null = null;
  await engine.deliver(sessionId, { key: deletedKey(message), body: note }, async (tx) => {
    await tx.sessions.lock(sessionId);
    // Nor is it taken as an edit later.
    await tx.presence.answered(message, at);
    for (const event of await tx.inbox.waiting(sessionId, runtime.clock.now()))
      if (isOf(event, message)) await tx.inbox.takeKey(event.key, null);
    const run = await tx.runs.open(sessionId);
    const taken = run === null ? [] : await tx.inbox.ofRun(run.id);
    if (run === null || run.cancelledBy !== null || !taken.some((event) => isOf(event, message))) return false;
    const hasOthers = await isAskedBeside(message, { run, taken }, tx);
    stopped = hasOthers ? null : run.id;
    return hasOthers;
  });
  if (stopped !== null) await engine.cancel(sessionId, stopped, { by: "deletion" });
}

/** Whether a run works on anything beside a message: on what began it, where no message did, or on one that is not deleted. */
async function isAskedBeside(
  message: string,
  { run, taken }: { readonly run: Pick<RunRow, "eventSeq">; readonly taken: readonly StoredEvent[] },
  { inbox }: Pick<StoreTransaction, "inbox">,
): Promise<boolean> {
  const asked = taken.filter(({ seq, body }) => (body.kind === "message" ? body.addressed : seq === run.eventSeq));
  const others = asked.filter((event) => !isOf(event, message)).map(({ key }) => deletedKey(messageKeyOf(key)));
  const deleted = new Set((await inbox.byKeys(others)).map(({ key }) => key));
  return others.some((key) => !deleted.has(key));
}

function isOf({ key }: StoredEvent, message: string): boolean {
  return messageKeyOf(key) === message;
}

/** The key of what the model is told of a message's deletion. */
function deletedKey(message: string): string {
  return `deleted:${message}`;
}

function withdrawnText(whose: string, said: string): string {
  return `[A message of ${whose} was deleted: “${said}”. What it asked for, also since it was edited, is not to be gone on with unless someone asks for it again.]`;
}
