import type { InboundMessage } from "../protocol/platform.ts";
import type { Runtime } from "../protocol/runtime.ts";
import { channelKeyOf, type SessionRow, sessionKeyOf } from "../store/sessions.ts";
import type { Store } from "../store/store.ts";

/** How often the store is asked, and for how long: platforms want an answer within three seconds. Milliseconds. */
const LOOK_EVERY_MS = 100;
const LONGEST_MS = 2_000;

/**
 * The session of a message's thread; null when it has none. A reply may come before the store knows that the message above
 * it, a job's report, was posted: while one is on its way in the channel, it is waited for.
 */
export async function sessionOfMessage(
  { thread, opensThread }: Pick<InboundMessage, "thread" | "opensThread">,
  { store, runtime: { clock } }: { readonly store: Store; readonly runtime: Pick<Runtime, "clock"> },
): Promise<SessionRow | null> {
  const key = sessionKeyOf(thread);
  const found = await store.sessions.byKey(key);
  if (found !== null || opensThread || thread.threadId === null) return found;
  const { signal } = new AbortController();
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    // In this order: a thread that is opened between the two is found.
    const isOpening = await store.posts.opensThreadIn(channelKeyOf(thread));
    const session = await store.sessions.byKey(key);
    if (session !== null || !isOpening || waitedMs >= LONGEST_MS) return session;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}
