import { busyThreads } from "../history/session-state.ts";
import { sessionKeyOf } from "../platform/thread.ts";
import { plainLine } from "../text/plain-text.ts";
import type { CommandContext } from "./command.ts";

/** Maximum number of recent sessions to search. Those at work are among the newest. */
const MOST = 50;
const RECENT_MS = 7 * 86_400_000;
const TITLE_CHARS = 60;

/**
 * The reply to a command that has no session to work on. In a channel it points to the threads, since a slash command
 * there is in none.
 */
export function noSessionReply(what: string, { openSession }: Pick<CommandContext, "openSession">): string {
  const hint = openSession === null ? " Mention me in the thread you mean, and write the command there." : "";
  return `There is no session here yet, so there is nothing to ${what}.${hint}`;
}

/** Lists the person's busy threads in this channel, one line each. */
export async function busyThreadLines({ store, runtime, person, thread, describe }: CommandContext): Promise<string[]> {
  const since = runtime.clock.now() - RECENT_MS;
  const { platform, channelId } = thread;
  const [sessions, busy] = await Promise.all([
    store.sessions.ofPerson(person.id, { platform, since, limit: MOST }),
    busyThreads(store, platform, sessionKeyOf),
  ]);
  return sessions
    .filter((session) => session.thread.channelId === channelId && busy.has(sessionKeyOf(session.thread)))
    .map((session) => {
      const title = `“${plainLine(session.title, TITLE_CHARS)}”`;
      const link = describe(session.thread.platform).link(session.thread);
      const state = busy.get(sessionKeyOf(session.thread)) === "waiting" ? "⏸ Waiting for you" : "⏳ Working";
      return `${state}: ${title}${link === null ? "" : ` · [thread](${link})`}`;
    });
}
