import { useEffect, useState } from "preact/hooks";
import type { SessionNews, TeamSession } from "../../sessions/team-sessions.ts";
import { get, nullIfNotFound } from "../section/request.ts";
import type { Controller } from "../state/controller.ts";

/** Debounces rereading a session that changes. In milliseconds. */
const AGAIN_MS = 300;
/** Delay before a failed read is retried. In milliseconds. */
const FAILED_MS = 5_000;

/** The received part of an answer. */
interface Piece {
  readonly answer: string;
  readonly text: string;
}

export interface Watched {
  /** Undefined before the first response; null if the session does not exist or this person may not see it. */
  readonly session: TeamSession | null | undefined;
  /** Streamed text of an answer that is not stored in the session yet. */
  readonly streamed: string;
  readonly hasFailed: boolean;
  readonly refresh: () => void;
}

/** Loads a session and follows it live. */
export function useSession(sessionId: string, controller: Controller): Watched {
  const [{ session, pieces, hasFailed }, setWatched] = useState<Read>({
    session: undefined,
    pieces: [],
    hasFailed: false,
  });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    // Answers that are stored, because the model is called again only after its previous answer was stored.
    const endedNow = new Set<string>();
    let newest = "";
    const read = async (): Promise<void> => {
      timer = undefined;
      const ended = new Set(endedNow);
      try {
        const session = await nullIfNotFound(get<TeamSession>(`/sessions/${encodeURIComponent(sessionId)}`));
        if (isOver) return;
        setWatched(({ pieces }) => ({
          session,
          pieces: stillOnTheirWay(pieces, { session, ended }),
          hasFailed: false,
        }));
      } catch {
        if (isOver) return;
        setWatched((before) => ({ ...before, hasFailed: true }));
        soon(FAILED_MS);
      }
    };
    const soon = (ms: number): void => {
      timer ??= setTimeout(() => {
        read().catch(() => {});
      }, ms);
    };
    const stop = controller.watch({ kind: "session", id: sessionId }, (news) => {
      if (news?.type !== "text") return soon(AGAIN_MS);
      if (newest !== news.answer && newest !== "") endedNow.add(newest);
      newest = news.answer;
      setWatched((before) => ({ ...before, pieces: withNews(before.pieces, news) }));
    });
    soon(0);
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [sessionId, controller, asked]);
  const shown = session === undefined || session === null ? [] : pieces.filter(({ text }) => !isStored(text, session));
  const streamed = shown.map(({ text }) => text).join("\n\n");
  return { session, streamed, hasFailed, refresh: () => setAsked((count) => count + 1) };
}

interface Read extends Omit<Watched, "refresh" | "streamed"> {
  readonly pieces: readonly Piece[];
}

function withNews(pieces: readonly Piece[], { answer, at, text }: Extract<SessionNews, { type: "text" }>): Piece[] {
  const before = pieces.find((piece) => piece.answer === answer)?.text ?? "";
  return [...pieces.filter((piece) => piece.answer !== answer), { answer, text: before.slice(0, at) + text }];
}

interface Stored {
  readonly session: TeamSession | null;
  /** Answers that were complete before the session was read. */
  readonly ended: ReadonlySet<string>;
}

/** Drops the pieces of answers that the session now contains. */
function stillOnTheirWay(pieces: readonly Piece[], { session, ended }: Stored): readonly Piece[] {
  const isOver = session === null || (session.state !== "working" && session.state !== "waiting");
  return isOver ? [] : pieces.filter(({ answer }) => !ended.has(answer));
}

function isStored(text: string, { entries }: TeamSession): boolean {
  const newest = entries.findLast((entry) => entry.kind === "message" && entry.by === "agent");
  return newest?.kind === "message" && newest.markdown.includes(text.trim());
}
