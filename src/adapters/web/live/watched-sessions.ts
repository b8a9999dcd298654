import type { Visitor } from "../server/door.ts";
import type { Logins } from "../server/logins.ts";
import type { TeamSessions, Viewer } from "../sessions/team-sessions.ts";
import type { OpenPage, Watched } from "./page-session.ts";

export interface WatchingPage {
  readonly sessions: () => Pick<TeamSessions, "watch"> | null;
  readonly viewer: () => Promise<Viewer | null>;
  readonly page: Pick<OpenPage, "push">;
}

/** What one page hears of sessions: of what it shows now, and of nothing else. */
export function watchSessions({ sessions, viewer, page }: WatchingPage) {
  let end = (): void => {};
  let isOpen = true;
  return {
    watch: (watched: Watched): void => {
      end();
      end = () => {};
      if (!isOpen || watched.kind === "nothing") return;
      const sessionId = watched.kind === "session" ? watched.id : null;
      const tell = (news: Parameters<Parameters<TeamSessions["watch"]>[0]["tell"]>[0]): void =>
        page.push({ type: "sessions", news });
      end = sessions()?.watch({ viewer, sessionId, tell }) ?? end;
    },
    /** A page that has gone: what it has asked for may be handled only then. */
    end: (): void => {
      isOpen = false;
      end();
    },
  };
}

/** How many sessions wait for people, as far as one page of a list goes. */
export async function waitingSessions({
  sessions,
  viewer,
}: Pick<WatchingPage, "viewer"> & { readonly sessions: () => Pick<TeamSessions, "list"> | null }): Promise<number> {
  const [team, looking] = [sessions(), await viewer()];
  if (team === null || looking === null) return 0;
  const any = { text: "", person: "", channel: "", agent: "", leastUsd: 0, after: "" };
  return (await team.list(looking, { ...any, state: "waiting" })).sessions.length;
}

/** Who is at a page at this moment; null: nobody who is signed in. */
export async function viewerNow(visitor: Visitor, logins: Pick<Logins, "signedIn"> | null): Promise<Viewer | null> {
  if (visitor.kind === "operator") return { kind: "operator" };
  const account = (await logins?.signedIn(visitor.token, false)) ?? null;
  return account === null ? null : { kind: "account", account };
}
