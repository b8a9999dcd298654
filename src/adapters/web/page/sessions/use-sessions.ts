import { useEffect, useRef, useState } from "preact/hooks";
import type { ListedSession, SessionList, SessionQuery } from "../../sessions/team-sessions.ts";
import { get, nullIfNotFound } from "../section/request.ts";
import type { Controller } from "../state/controller.ts";

/** Debounces rereading the first page while sessions change. In milliseconds. */
const AGAIN_MS = 1_000;
/** Debounces typing in the search. In milliseconds. */
const TYPED_MS = 250;
/** Delay before a failed read is retried. In milliseconds. */
const FAILED_MS = 5_000;

export interface Found {
  readonly sessions: readonly ListedSession[];
  /** Cursor of the next page; null after the last one. */
  readonly next: string | null;
  readonly isLoading: boolean;
  readonly hasFailed: boolean;
}

export const NOTHING: Found = { sessions: [], next: null, isLoading: true, hasFailed: false };

interface Search {
  readonly query: SessionQuery;
  /** The sessions that were listed when the person left the list. */
  readonly left: Found;
  readonly controller: Controller;
}

/** Loads the results of a search page by page, and keeps them up to date while they are shown. */
export function useSessions({ query, left, controller }: Search): Found & { readonly more: () => void } {
  const [found, setFound] = useState<Found>(left);
  const isLeft = useRef(left.sessions.length > 0);
  const asked = JSON.stringify(query);
  /** The current search; responses to any other one are dropped. */
  const current = useRef(asked);
  current.current = asked;
  const isBusy = useRef(false);

  const load = async (after: string): Promise<void> => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      const page = await fetchSessions({ ...query, after });
      if (current.current !== asked) return;
      setFound((before) => ({
        sessions:
          after === "" ? (page?.sessions ?? []) : [...before.sessions, ...withoutThose(page?.sessions ?? [], before)],
        next: page?.next ?? null,
        isLoading: false,
        hasFailed: false,
      }));
    } catch {
      if (current.current === asked) setFound((before) => ({ ...before, isLoading: false, hasFailed: true }));
    } finally {
      isBusy.current = false;
    }
  };

  const refresh = async (changed: ReadonlySet<string>): Promise<void> => {
    const page = await fetchSessions(query);
    if (page === null || current.current !== asked) return;
    setFound((before) => ({
      ...before,
      sessions: merged(before.sessions, page.sessions, changed),
      next: before.hasFailed ? page.next : before.next,
      hasFailed: false,
    }));
  };

  useEffect(() => {
    // A restored list keeps its rows and only gets the new sessions above them.
    if (isLeft.current) {
      isLeft.current = false;
      refresh(new Set()).catch(() => {});
      return undefined;
    }
    setFound((before) => ({ ...before, isLoading: true }));
    const timer = setTimeout(() => {
      isBusy.current = false;
      load("").catch(() => {});
    }, TYPED_MS);
    return () => clearTimeout(timer);
  }, [asked]);

  useChanges(controller, refresh);

  return {
    ...found,
    more: () => {
      if (found.next !== null) load(found.next).catch(() => {});
    },
  };
}

/** Null if the page shows no sessions. */
function fetchSessions(query: SessionQuery): Promise<SessionList | null> {
  return nullIfNotFound(get("/sessions", { ...query, leastUsd: query.leastUsd || null }));
}

/** Reports the changed sessions, at most once a second. */
function useChanges(controller: Controller, refresh: (changed: ReadonlySet<string>) => Promise<void>): void {
  const latest = useRef(refresh);
  latest.current = refresh;
  useEffect(() => {
    const changed = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const tell = (): void => {
      timer = undefined;
      const ids = new Set(changed);
      changed.clear();
      latest.current(ids).catch(() => {
        for (const id of ids) changed.add(id);
        if (!isOver) timer ??= setTimeout(tell, FAILED_MS);
      });
    };
    const stop = controller.watch({ kind: "list" }, (news) => {
      if (news?.type === "text") return;
      for (const id of news?.sessionIds ?? []) changed.add(id);
      timer ??= setTimeout(tell, AGAIN_MS);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [controller]);
}

function withoutThose(page: readonly ListedSession[], { sessions }: Found): ListedSession[] {
  const known = new Set(sessions.map(({ id }) => id));
  return page.filter(({ id }) => !known.has(id));
}

/** Merges a new first page into the list. A changed session that is not on it no longer matches the search. */
function merged(
  before: readonly ListedSession[],
  newest: readonly ListedSession[],
  changed: ReadonlySet<string>,
): ListedSession[] {
  const there = new Set(newest.map(({ id }) => id));
  const kept = before.filter(({ id }) => !there.has(id) && !changed.has(id));
  return [...newest, ...kept].toSorted((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : -1));
}
