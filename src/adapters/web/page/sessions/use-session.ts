import { useEffect, useState } from "preact/hooks";
import type { TeamSession } from "../../sessions/team-sessions.ts";
import type { Controller } from "../state/controller.ts";
import { fetchSession } from "./api.ts";

/** How often a session is read anew while things change. Milliseconds. */
const AGAIN_MS = 300;

export interface Watched {
  /** Undefined before the first answer; null: there is none, or none that this person may see. */
  readonly session: TeamSession | null | undefined;
  /** Words of an answer that are on their way and not in the session yet. */
  readonly streamed: string;
  readonly hasFailed: boolean;
  readonly refresh: () => void;
}

/** A session as it stands, followed live. */
export function useSession(sessionId: string, controller: Controller): Watched {
  const [watched, setWatched] = useState<Omit<Watched, "refresh">>({
    session: undefined,
    streamed: "",
    hasFailed: false,
  });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const read = async (): Promise<void> => {
      timer = undefined;
      try {
        const session = await fetchSession(sessionId);
        if (isOver) return;
        setWatched(({ streamed }) => ({ session, streamed: stillOnItsWay(streamed, session), hasFailed: false }));
      } catch {
        if (!isOver) setWatched((before) => ({ ...before, hasFailed: true }));
      }
    };
    const soon = (ms: number): void => {
      timer ??= setTimeout(() => {
        read().catch(() => {});
      }, ms);
    };
    const stop = controller.watch({ kind: "session", id: sessionId }, (news) => {
      if (news?.type === "text") setWatched((before) => ({ ...before, streamed: before.streamed + news.text }));
      else soon(AGAIN_MS);
    });
    soon(0);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [sessionId, controller, asked]);
  const { session, streamed } = watched;
  // The words of a message may come after it.
  const isThere = session === undefined || session === null || isStored(streamed, session);
  return { ...watched, streamed: isThere ? "" : streamed, refresh: () => setAsked((count) => count + 1) };
}

/** Fewer words may stand in the message before by chance. Characters. */
const SURE_CHARS = 12;

/** Once a message is stored, its words are read there. */
function stillOnItsWay(streamed: string, session: TeamSession | null): string {
  const isOver = session === null || (session.state !== "working" && session.state !== "waiting");
  return isOver || (streamed.trim().length >= SURE_CHARS && isStored(streamed, session)) ? "" : streamed;
}

function isStored(streamed: string, { entries }: TeamSession): boolean {
  const newest = entries.findLast((entry) => entry.kind === "message" && entry.by === "agent");
  return newest?.kind === "message" && newest.markdown.includes(streamed.trim());
}
