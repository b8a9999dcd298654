import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { TeamSession } from "../../sessions/team-sessions.ts";
import { SESSIONS } from "../state/address.ts";
import { BackIcon, PanelIcon } from "../text/icons.tsx";
import { Label, Markdown } from "../text/markdown-text.tsx";
import { ConnectionBar, type MainProps } from "../thread/thread-view.tsx";
import { press } from "./api.ts";
import { Cards } from "./cards.tsx";
import { DeleteSession } from "./delete-session.tsx";
import { Entries } from "./entries.tsx";
import { SessionDetails } from "./session-details.tsx";
import { stateWords } from "./states.ts";
import { useSession } from "./use-session.ts";

interface SessionPageProps extends MainProps {
  readonly sessionId: string;
  /** Called once the session has been deleted. */
  readonly deleted: () => void;
}

/** One session: its messages, steps and open cards, with its details beside them. */
export function SessionPage({ sessionId, state, controller, now, show, deleted }: SessionPageProps): JSX.Element {
  const { session, streamed, hasFailed, refresh } = useSession(sessionId, controller);
  const { words, pending, click } = usePress({ sessionId, state, refresh });
  const back = (): void => controller.openSection(SESSIONS, encodeURIComponent(session?.parentId ?? ""));
  useTitle(titleOf(session));
  return (
    <main class="session-page">
      {/* Also where a narrow screen shows the details alone. */}
      <h1 class="hidden" tabIndex={-1}>
        {titleOf(session)}
      </h1>
      <div class="thread">
        <header class="thread-head">
          <button type="button" class="icon-button" aria-label={backWords(session)} onClick={back}>
            <BackIcon />
          </button>
          <p class="head-title" aria-hidden="true">
            {titleOf(session)}
          </p>
          {session !== null && session !== undefined && <Head session={session} pending={pending} click={click} />}
          {session?.parentId === null && (
            <DeleteSession
              sessionId={sessionId}
              mark={`${session.state} ${session.updatedAt}`}
              state={state}
              done={() => {
                deleted();
                controller.reload();
                controller.openSection(SESSIONS);
              }}
            />
          )}
          <button type="button" class="icon-button medium-only" aria-label="Details" onClick={() => show("details")}>
            <PanelIcon />
          </button>
        </header>
        <ConnectionBar state={state} />
        <Scroller mark={`${session?.entries.length} ${session?.cards.length} ${streamed.length}`}>
          {(session === undefined || session === null) && (
            <Absence isMissing={session === null} hasFailed={hasFailed} />
          )}
          {session !== null && session !== undefined && (
            <>
              {session.earlier > 0 && <p class="hint centred">{session.earlier} earlier messages are not shown.</p>}
              <Entries entries={session.entries} streamed={streamed} agent={session.agent} now={now} />
              <Cards cards={session.cards} pending={pending} click={click} />
            </>
          )}
        </Scroller>
        <div class="press-words" role="status">
          {words !== null && <Markdown text={words} />}
        </div>
      </div>
      <SessionDetails session={session ?? null} back={() => show("thread")} pending={pending} click={click} />
    </main>
  );
}

/** Sets the window's title while the component is shown. */
function useTitle(title: string): void {
  useEffect(() => {
    const before = document.title;
    document.title = `${title} · Deckhand`;
    return () => {
      document.title = before;
    };
  }, [title]);
}

interface AbsenceProps {
  /** True if the server says that there is no such session. */
  readonly isMissing: boolean;
  readonly hasFailed: boolean;
}

function Absence({ isMissing, hasFailed }: AbsenceProps): JSX.Element {
  if (isMissing) return <p class="hint centred">This session does not exist, or you may not see it.</p>;
  return <p class="hint centred">{hasFailed ? "Could not be loaded. Trying again…" : "Loading…"}</p>;
}

interface PressArgs extends Pick<SessionPageProps, "sessionId" | "state"> {
  /** Called after a button was answered. */
  readonly refresh: () => void;
}

/** Presses one button at a time; `words` is the answer to the last one. */
function usePress({ sessionId, state, refresh }: PressArgs) {
  const [words, setWords] = useState<string | null>(null);
  const [pending, setPending] = useState<string | null>(null);
  const pressNow = async (action: string): Promise<void> => {
    setPending(action);
    const { words: told, files } = await press(sessionId, action, state);
    setWords(told);
    for (const file of files) download(file);
    setPending(null);
    refresh();
  };
  const click = (action: string): void => {
    if (pending === null) pressNow(action).catch(() => {});
  };
  return { words, pending, click };
}

function download({ name, text }: { readonly name: string; readonly text: string }): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

function backWords(session: TeamSession | null | undefined): string {
  return session?.parentId ? "Back to the parent session" : "Back to the sessions";
}

function titleOf(session: TeamSession | null | undefined): string {
  if (session === undefined) return "Session";
  return session?.title ? session.title : "Session";
}

interface HeadProps {
  readonly session: TeamSession;
  readonly pending: string | null;
  readonly click: (action: string) => void;
}

function Head({ session: { state, stop }, pending, click }: HeadProps): JSX.Element {
  return (
    <>
      <span class={`run-state ${state}`} role="status">
        <Label text={stateWords(state)} />
      </span>
      {stop !== null && (
        <button type="button" class="danger" aria-disabled={pending !== null} onClick={() => click(stop)}>
          Stop
        </button>
      )}
    </>
  );
}

interface ScrollerProps {
  /** Changes whenever there is something new. */
  readonly mark: string;
  readonly children: JSX.Element | (JSX.Element | false)[];
}

/** Keeps the newest entry in view while the reader is at the end. */
function Scroller({ mark, children }: ScrollerProps): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = place.current;
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [mark]);
  return (
    <div
      class="scroller"
      ref={place}
      tabIndex={-1}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 48;
      }}
    >
      {children}
    </div>
  );
}
