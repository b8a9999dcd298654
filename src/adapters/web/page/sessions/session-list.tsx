import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { counted } from "../../../../core/text/counted.ts";
import { dollars } from "../../../../core/text/dollars.ts";
import type { ListedSession, SessionQuery } from "../../sessions/team-sessions.ts";
import { MainHead } from "../main-head.tsx";
import { Label } from "../text/markdown-text.tsx";
import { ago } from "../text/relative-time.ts";
import { ConnectionBar, type MainProps } from "../thread/thread-view.tsx";
import { EVERYTHING, Filters } from "./filters.tsx";
import { stateWords } from "./states.ts";
import { type Found, useSessions } from "./use-sessions.ts";

/** Height of a row in pixels; must match style/sessions.css. */
const ROW = 58;
/** Number of rows drawn beyond the visible ones. */
const BEYOND = 12;

/** The list as it was when somebody opened one of its sessions. */
export interface LeftList {
  readonly query: SessionQuery;
  readonly found: Found;
  /** Scroll offset in pixels. */
  readonly top: number;
  /** The session that was opened last; null for none. */
  readonly opened: string | null;
}

interface SessionListProps extends MainProps {
  readonly left: { current: LeftList };
}

/** Sessions of all platforms that this person may see, the newest first. */
export function SessionList({ state, controller, now, show, left }: SessionListProps): JSX.Element {
  const [query, setQuery] = useState(left.current.query);
  const { more, ...found } = useSessions({ query, left: left.current.found, controller });
  left.current = { ...left.current, query, found };
  return (
    <main class="thread team">
      <MainHead title="Sessions" show={show} />
      <ConnectionBar state={state} />
      <Filters query={query} change={setQuery} />
      <Rows found={found} now={now} more={more} search={JSON.stringify(query)} left={left} />
      <p class="hidden" role="status">
        {found.isLoading ? "" : countWords(found)}
      </p>
    </main>
  );
}

function countWords({ sessions, next }: Found): string {
  if (sessions.length === 0) return "No sessions found";
  const count = counted(sessions.length, "session");
  return next === null ? count : `${count}, more below`;
}

interface RowsProps {
  readonly found: Found;
  readonly now: number;
  readonly more: () => void;
  /** A new search starts at the top of the list. */
  readonly search: string;
  readonly left: SessionListProps["left"];
}

/** Draws only the visible rows, and loads the next page before its rows become visible. */
function Rows({ found, now, more, search, left }: RowsProps): JSX.Element {
  const { sessions, next, isLoading, hasFailed } = found;
  const scroller = useRef<HTMLDivElement>(null);
  const [sight, setSight] = useState({ top: left.current.top, height: 800 });
  useLayoutEffect(() => {
    scroller.current?.scrollTo(0, left.current.top);
    scroller.current?.querySelector<HTMLElement>("a[data-opened]")?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const look = (): void => {
      if (!element.isConnected) return;
      left.current = { ...left.current, top: element.scrollTop };
      setSight({ top: element.scrollTop, height: element.clientHeight });
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, []);
  const begun = useRef(search);
  useEffect(() => {
    if (begun.current !== search) scroller.current?.scrollTo(0, 0);
    begun.current = search;
  }, [search]);
  const first = Math.max(0, Math.floor(sight.top / ROW) - BEYOND);
  const last = Math.min(sessions.length, Math.ceil((sight.top + sight.height) / ROW) + BEYOND);
  const isNearEnd = last >= sessions.length;
  useEffect(() => {
    if (next !== null && isNearEnd && !isLoading) more();
  }, [next, isNearEnd, isLoading]);
  return (
    <div class="scroller" ref={scroller} tabIndex={-1}>
      {sessions.length === 0 && (
        <p class="hint centred">
          {emptyWords({ isLoading: isLoading || next !== null, hasFailed }, search === JSON.stringify(EVERYTHING))}
        </p>
      )}
      <ul
        class={isLoading ? "session-rows stale" : "session-rows"}
        aria-label="Sessions"
        style={{ paddingTop: `${first * ROW}px`, paddingBottom: `${(sessions.length - last) * ROW}px` }}
      >
        {sessions.slice(first, last).map((session, index) => (
          <li key={session.id} aria-setsize={next === null ? sessions.length : -1} aria-posinset={first + index + 1}>
            <Row session={session} now={now} isLeft={session.id === left.current.opened} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function emptyWords({ isLoading, hasFailed }: Pick<Found, "isLoading" | "hasFailed">, isAll: boolean): string {
  if (hasFailed) return "The sessions could not be loaded. Reload the page.";
  if (isLoading) return "Loading…";
  if (!isAll) return "No sessions match this search.";
  return "No sessions yet. Each thread in which somebody asks Deckhand for something becomes one.";
}

interface RowProps {
  readonly session: ListedSession;
  readonly now: number;
  /** Whether this session was the last one opened. */
  readonly isLeft: boolean;
}

function Row({ session, now, isLeft }: RowProps): JSX.Element {
  const { id, title, platform, workspace, channel, agent, state, costUsd, updatedAt } = session;
  return (
    <a class="session-row" data-opened={isLeft ? "" : undefined} href={`#/sessions/${encodeURIComponent(id)}`}>
      <span class={`run-state ${state}`}>
        <Label text={stateWords(state)} />
      </span>
      <span class="session-title">{title === "" ? "Untitled" : title}</span>
      <span class="session-where">
        {channel} · {workspace} · {platform} · {agent}
      </span>
      <span class="session-cost">{costUsd === null ? "cost unknown" : costUsd === 0 ? "" : dollars(costUsd)}</span>
      <time class="session-when" dateTime={new Date(updatedAt).toISOString()}>
        {ago(updatedAt, now)}
      </time>
    </a>
  );
}
