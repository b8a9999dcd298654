import { BoundedMap } from "../../core/bounded-map.ts";
import type { OpenFeature, TeamSessions } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import type { RunRelay } from "./relay/run-relay.ts";
import type { ConsoleScope } from "./scope.ts";
import { consoleReads } from "./store.ts";
import { commonPrefixLength, STORED_MS, type StreamedAnswer, type StreamedAnswers } from "./streamed-answers.ts";
import type { Viewer } from "./visibility.ts";

type Watching = Parameters<TeamSessions["watch"]>[0];
type Note = NonNullable<OpenFeature["watchRun"]>;

/** Changes within this time are sent together. In milliseconds. */
const BATCH_MS = 50;
/** How long a page's viewer is cached, in milliseconds. */
const VIEWER_CACHE_MS = 5_000;
const CACHED_PLACES = 2_000;
const NOTHING_SENT = { id: "", text: "", of: null };

interface Page extends Watching {
  /** Sessions that have changed since the last flush. */
  readonly changed: Set<string>;
  /** The answer as sent so far, and the state it was taken from. */
  sent: StreamedAnswer & { readonly of: StreamedAnswer | null };
  viewerNow: { readonly viewer: Promise<Viewer | null>; readonly until: number } | null;
}

/** Caches the places of sessions, which never change. A sub-agent is in the place of its root. */
type PlaceCache = BoundedMap<string, ReturnType<typeof lookUp>>;

export interface Live {
  readonly watch: TeamSessions["watch"];
  readonly note: Note;
  /** Handles sessions that are being deleted. */
  readonly gone: (sessionIds: readonly string[]) => void;
}

export interface LiveScope extends ConsoleScope {
  readonly streamed: Pick<StreamedAnswers, "in">;
  /** Runs of other processes; null if there are none. */
  readonly relay: Pick<RunRelay, "watch"> | null;
}

/** Tells open pages what happens in runs, as far as their viewers may see it. Does nothing while no page is open. */
export function createLive(world: LiveScope): Live {
  const { clock } = world.host.runtime;
  const pages = new Set<Page>();
  const known: PlaceCache = new BoundedMap(CACHED_PLACES);
  const due = new Set<number>();

  const flushIn = (ms: number): void => {
    if (due.has(ms)) return;
    due.add(ms);
    clock.after(ms, () => {
      due.delete(ms);
      for (const page of pages) {
        const ids = [...page.changed];
        page.changed.clear();
        flush(page, ids, { ...world, known }).catch((error: unknown) => notTold(page, ids, error));
      }
    });
  };
  const notTold = (page: Page, ids: readonly string[], error: unknown): void => {
    world.host.log.warn({ err: error }, "page_not_told");
    // Nothing else may happen in these sessions, so a failed update is repeated at the next flush.
    for (const id of ids) page.changed.add(id);
    page.viewerNow = null;
    flushIn(VIEWER_CACHE_MS);
  };
  const flushSoon = (): void => flushIn(BATCH_MS);
  const mark = (sessionId: string): void => {
    for (const page of pages) page.changed.add(sessionId);
    flushSoon();
  };
  return {
    watch: (watching) => {
      const page: Page = { ...watching, changed: new Set(), sent: NOTHING_SENT, viewerNow: null };
      pages.add(page);
      flushSoon();
      const endElsewhere = world.relay?.watch(page.sessionId, { changed: mark, written: flushSoon });
      return () => {
        pages.delete(page);
        endElsewhere?.();
      };
    },
    gone: (sessionIds) => {
      if (pages.size === 0) return;
      for (const id of sessionIds) {
        // The place can only be looked up while the rows exist.
        place(id, { ...world, known }).catch((error: unknown) => world.host.log.warn({ err: error }, "page_not_told"));
        mark(id);
      }
    },
    note: ({ sessionId }, event) => {
      if (pages.size === 0) return;
      if (event.type === "token" || event.type === "text_discarded") return flushSoon();
      mark(sessionId);
      if (event.type === "closed") clock.after(STORED_MS, () => mark(sessionId));
    },
  };
}

type FlushScope = LiveScope & { readonly known: PlaceCache };

async function flush(page: Page, ids: readonly string[], flushing: FlushScope): Promise<void> {
  const { sessionId, send } = page;
  const isWritten = sessionId !== null && flushing.streamed.in(sessionId) !== page.sent.of;
  if (!isWritten && ids.length === 0) return;
  const viewer = await viewerOf(page, flushing.host.runtime.clock.now());
  if (viewer === null) return;
  const sees = async (id: string): Promise<string | null> => {
    const found = await place(id, flushing);
    return found !== null && (await flushing.visibility.sees(viewer, found.row)) ? found.rootId : null;
  };
  if (isWritten && (await sees(sessionId)) !== null) {
    const news = newText(page, sessionId, flushing);
    if (news !== null) send(news);
  }
  const seen = await Promise.all(
    ids.map(async (id) => {
      const rootId = await sees(id);
      return rootId === null ? [] : [id, rootId];
    }),
  );
  const visibleIds = [...new Set(seen.flat())];
  const wanted = sessionId === null ? visibleIds : visibleIds.filter((id) => id === sessionId);
  if (wanted.length > 0) send({ type: "changed", sessionIds: wanted });
}

/** The part of an answer that the page has not received yet, which then counts as sent; null if there is none. */
function newText(page: Page, sessionId: string, { streamed, host }: FlushScope) {
  const written = streamed.in(sessionId);
  const before = page.sent.id === written?.id ? page.sent.text : "";
  // Masks the whole text, since a secret may arrive in parts.
  const text = host.hideIn(written?.text ?? "");
  page.sent = { id: written?.id ?? "", text, of: written };
  if (written === null || text === before) return null;
  const at = commonPrefixLength(before, text);
  return { type: "text", sessionId, answer: written.id, at, text: text.slice(at) } as const;
}

function viewerOf(page: Page, now: number): Promise<Viewer | null> {
  if (page.viewerNow === null || page.viewerNow.until <= now) {
    page.viewerNow = { viewer: page.viewer(), until: now + VIEWER_CACHE_MS };
  }
  return page.viewerNow.viewer;
}

function place(id: string, { host, known }: FlushScope): ReturnType<typeof lookUp> {
  const before = known.get(id);
  if (before !== undefined) return before;
  const looking = lookUp(id, host);
  known.set(id, looking);
  const forget = (): void => known.delete(id);
  looking.then((found) => (found === null ? forget() : undefined), forget);
  return looking;
}

async function lookUp(id: string, { store }: Pick<FeatureHost, "store">) {
  const row = await store.tables(consoleReads).get(id);
  if (row === null) return null;
  const child = row.parentId === null ? null : await store.children.get(id);
  return { row, rootId: child?.task.root.sessionId ?? id };
}
