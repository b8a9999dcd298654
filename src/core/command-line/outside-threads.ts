import { busyThreads } from "../history/session-state.ts";
import { sessionKeyOf } from "../protocol/platform.ts";
import { plainLine } from "../text/plain-text.ts";
import type { CommandContext } from "./command.ts";

/** Sessions that are looked at, the newest; those at work are among them. */
const MOST = 50;
const RECENT_MS = 7 * 86_400_000;
const TITLE_CHARS = 60;

/** Why a command has nothing to work on; a slash command in a channel is in no thread, though others are beside it. */
export function nothingTo(what: string, { openSession }: Pick<CommandContext, "openSession">): string {
  const hint = openSession === null ? " In the thread you mean, write it after mentioning me." : "";
  return `There is no session here yet, so there is nothing to ${what}.${hint}`;
}

/** The threads of this channel in which something goes on for the person, a line each. */
export async function atWorkHere({ store, runtime, person, thread, describe }: CommandContext): Promise<string[]> {
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
      return `${state}: ${title}${link === null ? "" : ` · [its thread](${link})`}`;
    });
}
