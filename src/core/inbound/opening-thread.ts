import type { CommandServices } from "../command-line/command.ts";
import { channelKeyOf, type InboundMessage, sessionKeyOf, type ThreadRef } from "../protocol/platform.ts";
import type { SessionRow } from "../store/sessions.ts";

/** How often the store is asked, and for how long: platforms want an answer within three seconds. Milliseconds. */
const LOOK_EVERY_MS = 100;
const LONGEST_MS = 2_000;

/** The session of a message's thread, or where there are no threads that of the report it answers; null when it has none. */
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
 * A reply may come before the store knows that the message above it, a job's report, was posted: while one is on its way in
 * the channel, it is waited for.
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
    // In this order: a thread that is opened between the two is found.
    const isOpening = await store.posts.opensThreadIn(channelKeyOf(thread));
    const session = await find();
    if (session !== null || !isOpening || waitedMs >= LONGEST_MS) return session;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
