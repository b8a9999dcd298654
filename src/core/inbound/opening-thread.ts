import type { CommandServices } from "../command-line/command.ts";
import type { InboundMessage } from "../platform/inbound.ts";
import { channelKeyOf, sessionKeyOf, type ThreadRef } from "../platform/thread.ts";
import type { SessionRow } from "../store/sessions.ts";

/** Polling interval and maximum wait, in milliseconds. Platforms expect an answer within three seconds. */
const LOOK_EVERY_MS = 100;
const LONGEST_MS = 2_000;

/**
 * The session of a message's thread or, on platforms without threads, of the report that it replies to. Null if there
 * is none.
 */
export async function sessionOfMessage(
  { thread, opensThread, repliesTo }: Pick<InboundMessage, "thread" | "opensThread" | "repliesTo">,
  options: Pick<CommandServices, "store" | "runtime" | "describe">,
): Promise<SessionRow | null> {
  const { store, describe } = options;
  const ofThread = () => store.sessions.byKey(sessionKeyOf(thread));
  if (describe(thread.platform).hasThreads(thread)) {
    return opensThread || thread.threadId === null ? ofThread() : onceOpened(ofThread, thread, options);
  }
  if (repliesTo === undefined) return ofThread();
  const ofReport = () => store.sessions.ofReport(channelKeyOf(thread), repliesTo);
  return (await onceOpened(ofReport, thread, options)) ?? ofThread();
}

/**
 * Looks for a session and waits if a report is being posted in the channel, because a reply may arrive before the store
 * knows that the report was posted.
 */
async function onceOpened(
  find: () => Promise<SessionRow | null>,
  thread: ThreadRef,
  { store, runtime: { clock } }: Pick<CommandServices, "store" | "runtime">,
): Promise<SessionRow | null> {
  const found = await find();
  if (found !== null) return found;
  const { signal } = new AbortController();
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    // The order matters: a thread opened between the two queries is found.
    const isOpening = await store.posts.opensThreadIn(channelKeyOf(thread));
    const session = await find();
    if (session !== null || !isOpening || waitedMs >= LONGEST_MS) return session;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
