import { BoundedMap } from "../../core/bounded-map.ts";
import type { FeatureHost, OpenFeature, TeamSessions } from "../../feature.ts";
import type { Looking } from "./list.ts";
import type { Viewer } from "./sight.ts";
import { consoleReads } from "./store.ts";

type Watching = Parameters<TeamSessions["watch"]>[0];
type Note = NonNullable<OpenFeature["watchRun"]>;

/** What happens meanwhile is told together. Milliseconds. */
const TOGETHER_MS = 50;
/** A view closes before the store knows that its run has ended: then it is looked at again. Milliseconds. */
const STORED_MS = 700;
/** How long it is believed who looks. Milliseconds. */
const BELIEVED_MS = 5_000;
const REMEMBERED = 2_000;

interface Page extends Watching {
  /** Sessions that have changed. */
  readonly changed: Set<string>;
  /** What has come of an answer. */
  text: string;
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

export interface Telling extends Looking {
  readonly host: Pick<FeatureHost, "store" | "describe" | "runtime" | "log" | "hideIn">;
}

/** Tells open pages what happens in runs, each what its viewer may see; while none is open, nothing is done. */
export function createLive(world: Telling): Live {
  const { clock } = world.host.runtime;
  const pages = new Set<Page>();
  const known: Known = new BoundedMap(REMEMBERED);
  let isDue = false;

  const flushSoon = (): void => {
    if (isDue) return;
    isDue = true;
    clock.after(TOGETHER_MS, () => {
      isDue = false;
      for (const page of pages) {
        flush(page, { ...world, known }).catch((error: unknown) =>
          world.host.log.warn({ err: error }, "page_not_told"),
        );
      }
    });
  };
  const mark = (sessionId: string): void => {
    for (const page of pages) page.changed.add(sessionId);
    flushSoon();
  };
  return {
    watch: (watching) => {
      const page: Page = { ...watching, changed: new Set(), text: "", viewerNow: null };
      pages.add(page);
      return () => pages.delete(page);
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
      if (event.type === "token") {
        for (const page of pages) if (page.sessionId === sessionId) page.text += event.text;
        return flushSoon();
      }
      mark(sessionId);
      if (event.type === "closed") clock.after(STORED_MS, () => mark(sessionId));
    },
  };
}

type Flushing = Telling & { readonly known: Known };

async function flush(page: Page, flushing: Flushing): Promise<void> {
  const { changed, sessionId, tell } = page;
  const text = page.text;
  const ids = [...changed];
  page.text = "";
  changed.clear();
  if (text === "" && ids.length === 0) return;
  const viewer = await viewerOf(page, flushing.host.runtime.clock.now());
  if (viewer === null) return;
  const sees = async (id: string): Promise<string | null> => {
    const found = await place(id, flushing);
    return found !== null && (await flushing.sight.sees(viewer, found.row)) ? found.rootId : null;
  };
  if (text !== "" && sessionId !== null && (await sees(sessionId)) !== null) {
    tell({ type: "text", sessionId, text: flushing.host.hideIn(text) });
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

function viewerOf(page: Page, now: number): Promise<Viewer | null> {
  if (page.viewerNow === null || page.viewerNow.until <= now) {
    page.viewerNow = { viewer: page.viewer(), until: now + BELIEVED_MS };
  }
  return page.viewerNow.viewer;
}

function place(id: string, { host, known }: Flushing): ReturnType<typeof lookUp> {
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
