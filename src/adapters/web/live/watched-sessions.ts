import type { Principal } from "../server/access-control.ts";
import type { Logins } from "../server/logins.ts";
import type { SessionNews, TeamSessions, Viewer } from "../sessions/team-sessions.ts";
import type { OpenPage, Watched } from "./page-session.ts";

export interface WatchingPage {
  /** Null if the page shows only its own threads. */
  readonly sessions: Pick<TeamSessions, "watch"> | null;
  readonly viewer: () => Promise<Viewer | null>;
  readonly page: Pick<OpenPage, "push">;
}

/** Pushes session news to one page, only for what it currently shows. */
export function watchSessions({ sessions, viewer, page }: WatchingPage) {
  let end = (): void => {};
  let isOpen = true;
  return {
    watch: (watched: Watched): void => {
      end();
      end = () => {};
      if (!isOpen || watched.kind === "nothing") return;
      const sessionId = watched.kind === "session" ? watched.id : null;
      const send = (news: SessionNews): void => page.push({ type: "sessions", news });
      end = sessions?.watch({ viewer, sessionId, send }) ?? end;
    },
    /** Ends the subscription of a closed page and ignores its frames that are handled later. */
    end: (): void => {
      isOpen = false;
      end();
    },
  };
}

/** Number of sessions that wait for people, counted on the first page of the list only. */
export async function waitingSessions({
  sessions,
  viewer,
}: Pick<WatchingPage, "viewer"> & { readonly sessions: Pick<TeamSessions, "list"> | null }): Promise<number> {
  const looking = await viewer();
  if (sessions === null || looking === null) return 0;
  const any = { text: "", person: "", channel: "", agent: "", leastUsd: 0, after: "" };
  return (await sessions.list(looking, { ...any, state: "waiting" })).sessions.length;
}

/** The current viewer of a page; null if the login session has ended. */
export async function viewerNow(principal: Principal, logins: Pick<Logins, "signedIn"> | null): Promise<Viewer | null> {
  if (principal.kind === "operator") return { kind: "operator" };
  const account = (await logins?.signedIn(principal.token, false)) ?? null;
  return account === null ? null : { kind: "account", account };
}
