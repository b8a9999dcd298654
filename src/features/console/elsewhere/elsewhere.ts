import type { OpenFeature } from "../../../feature.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { type Answer, STORED_MS, sameFor, type Writing } from "../writing.ts";
import { runReads } from "./store.ts";
import { inWords, readWord, textInWords, type Word } from "./words.ts";

/** Changes within this time are sent together. In milliseconds. */
const TOGETHER_MS = 100;
/**
 * How often, while a page is open, other processes are asked for their runs, and the database for the sessions in work.
 * In milliseconds.
 */
const LOOK_MS = 2_000;
/** How long a request from another process is answered, in milliseconds. */
const ASKED_MS = 3 * LOOK_MS;
/** How long an ended run is still looked at, in milliseconds. */
const ENDED_MS = 2 * LOOK_MS;

/** What pages do with news from other processes. */
export interface Hearing {
  readonly changed: (sessionId: string) => void;
  readonly written: () => void;
}

/** Shows the runs of other processes to this one's pages, and this process's runs to theirs. */
export interface Elsewhere {
  /** Starts watching a session, or lists if null; returns a function that ends it. */
  watch(sessionId: string | null, hearing: Hearing): () => void;
  /** Takes an event of a run in this process. */
  readonly note: NonNullable<OpenFeature["watchRun"]>;
  /** The answer being written in a session elsewhere, as far as known. */
  readonly in: Writing["in"];
}

type Host = Pick<FeatureHost, "cluster" | "runtime" | "log" | "store" | "hideIn">;

interface Scope extends Host {
  readonly writing: Pick<Writing, "in">;
  readonly tell: (words: readonly Word[]) => void;
}

/** While no page is open anywhere, the processes send nothing. */
export function createElsewhere(host: Host, writing: Pick<Writing, "in">): Elsewhere {
  const { cluster, log } = host;
  const tell = (words: readonly Word[]): void => {
    if (cluster.size() < 2) return;
    for (const word of words)
      cluster
        .publish("runs", JSON.stringify(word))
        .catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
  };
  const scope = { ...host, writing, tell };
  const told = createTelling(scope);
  const heard = createHearing(scope);
  cluster.subscribe("runs", (about) => {
    const word = readWord(about);
    if (word === null) return;
    if ("ask" in word) told.asked(word);
    else heard.take(word);
  });
  return {
    watch: (sessionId, hearing) => heard.watch(sessionId, hearing),
    in: heard.in,
    note: (run, event) => {
      heard.forget(run.sessionId);
      told.note(run, event);
    },
  };
}

/** Sends news of this process's runs to processes that asked recently. */
function createTelling({ runtime: { clock }, hideIn, writing, tell }: Scope) {
  const asked = new Map<string, number>();
  const told = new Map<string, Answer>();
  const changed = new Set<string>();
  let askedUntil = 0;
  let isDue = false;

  const wordsOf = (sessionId: string): Word[] => {
    const written = writing.in(sessionId);
    if (written === null) return [];
    const before = told.get(sessionId);
    // Masks the whole text, since a secret may arrive in parts, and does so here, since only this process may know the
    // secret.
    const text = hideIn(written.text);
    const was = before?.id === written.id ? before.text : "";
    told.set(sessionId, { id: written.id, text });
    if (text === was) return [];
    const at = sameFor(was, text);
    return textInWords({ sessionId, answer: written.id, at, text: text.slice(at) });
  };
  const flush = (): void => {
    isDue = false;
    const now = clock.now();
    for (const [sessionId, until] of asked) if (until <= now) asked.delete(sessionId);
    for (const sessionId of told.keys()) if (!asked.has(sessionId)) told.delete(sessionId);
    tell(inWords([...changed], (ids) => ({ changed: ids })));
    changed.clear();
    for (const sessionId of asked.keys()) tell(wordsOf(sessionId));
  };
  const flushSoon = (): void => {
    if (isDue) return;
    isDue = true;
    clock.after(TOGETHER_MS, flush);
  };
  const note: Elsewhere["note"] = ({ sessionId }, event) => {
    if (clock.now() >= askedUntil) return;
    if (event.type !== "token" && event.type !== "text_discarded") changed.add(sessionId);
    if (event.type === "closed") {
      told.delete(sessionId);
      tell([{ ended: [sessionId] }]);
      clock.after(STORED_MS, () => {
        changed.add(sessionId);
        flushSoon();
      });
    }
    flushSoon();
  };
  return {
    note,
    asked({ ask, anew }: Extract<Word, { ask: string[] }>): void {
      askedUntil = clock.now() + ASKED_MS;
      for (const sessionId of ask) {
        asked.set(sessionId, askedUntil);
        if (anew) told.delete(sessionId);
      }
      if (anew) flushSoon();
    },
  };
}

/** Receives news of other processes' runs while pages of this process are open. */
function createHearing({ runtime: { clock }, log, store, tell }: Scope) {
  const pages = new Set<{ readonly sessionId: string | null; readonly hearing: Hearing }>();
  const written = new Map<string, Answer>();
  const reads = store.tables(runReads);
  let inWork: readonly string[] = [];
  let stop: (() => void) | null = null;

  const shown = () => new Set([...pages].flatMap(({ sessionId }) => sessionId ?? []));
  const ask = (anew: boolean, ids: readonly string[] = [...shown()]): void =>
    tell(ids.length === 0 ? [{ ask: [], anew }] : inWords(ids, (some) => ({ ask: some, anew })));
  const changed = (ids: Iterable<string>): void => {
    for (const id of ids) for (const { hearing } of pages) hearing.changed(id);
  };
  const look = async (): Promise<void> => {
    const now = await reads.inWork(clock.now() - ENDED_MS);
    changed(new Set([...inWork, ...now]));
    inWork = now;
  };
  const lookAgain = (): void => {
    stop = clock.after(LOOK_MS, () => {
      lookAgain();
      ask(false);
      look().catch((error: unknown) => log.warn({ err: error }, "runs_not_followed"));
    });
  };
  const takeText = ({ sessionId, answer, at, text }: Extract<Word, { text: string }>): void => {
    if (!shown().has(sessionId)) return;
    const before = written.get(sessionId);
    const known = before?.id === answer ? before.text : "";
    // An earlier part was lost, so the whole text is requested again.
    if (at > known.length) return ask(true, [sessionId]);
    written.set(sessionId, { id: answer, text: known.slice(0, at) + text });
    for (const { hearing } of pages) hearing.written();
  };
  return {
    in: (sessionId: string) => written.get(sessionId) ?? null,
    forget: (sessionId: string): void => {
      written.delete(sessionId);
    },
    take(word: Exclude<Word, { ask: string[] }>): void {
      if ("text" in word) return takeText(word);
      if ("changed" in word) return changed(word.changed);
      for (const sessionId of word.ended) written.delete(sessionId);
      changed(word.ended);
    },
    watch(sessionId: string | null, hearing: Hearing): () => void {
      const page = { sessionId, hearing };
      pages.add(page);
      ask(true, sessionId === null ? [] : [sessionId]);
      if (stop === null) lookAgain();
      return () => {
        pages.delete(page);
        if (sessionId !== null && !shown().has(sessionId)) written.delete(sessionId);
        if (pages.size > 0) return;
        stop?.();
        stop = null;
        inWork = [];
      };
    },
  };
}
