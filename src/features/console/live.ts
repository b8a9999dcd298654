import { BoundedMap } from "../../core/bounded-map.ts";
import type { OpenFeature, TeamSessions } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import type { Elsewhere } from "./elsewhere/elsewhere.ts";
import type { ConsoleScope } from "./scope.ts";
import type { Viewer } from "./sight.ts";
import { consoleReads } from "./store.ts";
import { type Answer, STORED_MS, sameFor, type Writing } from "./writing.ts";

type Watching = Parameters<TeamSessions["watch"]>[0];
type Note = NonNullable<OpenFeature["watchRun"]>;

/** What happens meanwhile is told together. Milliseconds. */
const TOGETHER_MS = 50;
/** How long it is believed who looks. Milliseconds. */
const BELIEVED_MS = 5_000;
const REMEMBERED = 2_000;
const NOTHING = { id: "", text: "", of: null };

interface Page extends Watching {
  /** Sessions that have changed. */
  readonly changed: Set<string>;
  /** What has been told of an answer, and of what state of it. */
  told: Answer & { readonly of: Answer | null };
  viewerNow: { readonly viewer: Promise<Viewer | null>; readonly until: number } | null;
}

/** Where sessions are does not change; of a sub-agent it is where its root is. */
type Known = BoundedMap<string, ReturnType<typeof lookUp>>;

export interface Live {
  readonly watch: TeamSessions["watch"];
  readonly note: Note;
  /** Sessions that nobody is shown any more. */
  readonly gone: (sessionIds: readonly string[]) => void;
}

export interface LiveScope extends ConsoleScope {
  readonly writing: Pick<Writing, "in">;
  /** Runs of other processes; null: there are none. */
  readonly elsewhere: Pick<Elsewhere, "watch"> | null;
}

/** Tells open pages what happens in runs, each what its viewer may see; while none is open, nothing is done. */
export function createLive(world: LiveScope): Live {
  const { clock } = world.host.runtime;
  const pages = new Set<Page>();
  const known: Known = new BoundedMap(REMEMBERED);
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
    // Nothing else may happen in these sessions: what could not be told now is told the next time.
    for (const id of ids) page.changed.add(id);
    page.viewerNow = null;
    flushIn(BELIEVED_MS);
  };
  const flushSoon = (): void => flushIn(TOGETHER_MS);
  const mark = (sessionId: string): void => {
    for (const page of pages) page.changed.add(sessionId);
    flushSoon();
  };
  return {
    watch: (watching) => {
      const page: Page = { ...watching, changed: new Set(), told: NOTHING, viewerNow: null };
      pages.add(page);
      flushSoon();
      const endElsewhere = world.elsewhere?.watch(page.sessionId, { changed: mark, written: flushSoon });
      return () => {
        pages.delete(page);
        endElsewhere?.();
      };
    },
    gone: (sessionIds) => {
      if (pages.size === 0) return;
      for (const id of sessionIds) {
        // Where it is can be looked up only now.
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

type FlushScope = LiveScope & { readonly known: Known };

async function flush(page: Page, ids: readonly string[], flushing: FlushScope): Promise<void> {
  const { sessionId, tell } = page;
  const isWritten = sessionId !== null && flushing.writing.in(sessionId) !== page.told.of;
  if (!isWritten && ids.length === 0) return;
  const viewer = await viewerOf(page, flushing.host.runtime.clock.now());
  if (viewer === null) return;
  const sees = async (id: string): Promise<string | null> => {
    const found = await place(id, flushing);
    return found !== null && (await flushing.sight.sees(viewer, found.row)) ? found.rootId : null;
  };
  if (isWritten && (await sees(sessionId)) !== null) {
    const news = wordsFor(page, sessionId, flushing);
    if (news !== null) tell(news);
  }
  const seen = await Promise.all(
    ids.map(async (id) => {
      const rootId = await sees(id);
      return rootId === null ? [] : [id, rootId];
    }),
  );
  const told = [...new Set(seen.flat())];
  const wanted = sessionId === null ? told : told.filter((id) => id === sessionId);
  if (wanted.length > 0) tell({ type: "changed", sessionIds: wanted });
}

/** What of an answer the page has not been told yet, which is told at once; null where there is nothing. */
function wordsFor(page: Page, sessionId: string, { writing, host }: FlushScope) {
  const written = writing.in(sessionId);
  const before = page.told.id === written?.id ? page.told.text : "";
  // As a whole: what is hidden may have come in parts.
  const text = host.hideIn(written?.text ?? "");
  page.told = { id: written?.id ?? "", text, of: written };
  if (written === null || text === before) return null;
  const at = sameFor(before, text);
  return { type: "text", sessionId, answer: written.id, at, text: text.slice(at) } as const;
}

function viewerOf(page: Page, now: number): Promise<Viewer | null> {
  if (page.viewerNow === null || page.viewerNow.until <= now) {
    page.viewerNow = { viewer: page.viewer(), until: now + BELIEVED_MS };
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
