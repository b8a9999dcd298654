import type { OpenFeature } from "../../../feature.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { type Answer, STORED_MS, sameFor, type Writing } from "../writing.ts";
import { runReads } from "./store.ts";
import { inWords, readWord, textInWords, type Word } from "./words.ts";

/** What happens meanwhile is told together. Milliseconds. */
const TOGETHER_MS = 100;
/** How often others are asked what goes on, and the database which runs do, while a page is open. Milliseconds. */
const LOOK_MS = 2_000;
/** For how long what is asked for is told. Milliseconds. */
const ASKED_MS = 3 * LOOK_MS;
/** A run that has ended is looked at once more for so long. Milliseconds. */
const ENDED_MS = 2 * LOOK_MS;

/** What pages do with what is heard. */
export interface Hearing {
  readonly changed: (sessionId: string) => void;
  readonly written: () => void;
}

/** Runs of other processes for pages of this one, and this one's for theirs. */
export interface Elsewhere {
  /** A page shows a session, null: lists; what it returns ends that. */
  watch(sessionId: string | null, hearing: Hearing): () => void;
  /** Hears what happens in runs of this process. */
  readonly note: NonNullable<OpenFeature["watchRun"]>;
  /** What is written in a session elsewhere, as far as it is known. */
  readonly in: Writing["in"];
}

type Host = Pick<FeatureHost, "cluster" | "runtime" | "log" | "store" | "hideIn">;

interface Scope extends Host {
  readonly writing: Pick<Writing, "in">;
  readonly tell: (words: readonly Word[]) => void;
}

/** While no page is open anywhere, nobody tells anything. */
export function createElsewhere(host: Host, writing: Pick<Writing, "in">): Elsewhere {
  const { cluster, log } = host;
  const tell = (words: readonly Word[]): void => {
    if (cluster.size() < 2) return;
    for (const word of words)
      cluster.tell("runs", JSON.stringify(word)).catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
  };
  const scope = { ...host, writing, tell };
  const told = createTelling(scope);
  const heard = createHearing(scope);
  cluster.hear("runs", (about) => {
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

/** What this process tells of its own runs, to those who have asked of late. */
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
    // As a whole, and here: what is hidden may have come in parts, and only this process may know that it is to be hidden.
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

/** What others tell of theirs, as long as pages of this process show it. */
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
    // A word before this one is lost: all of it is asked for once more.
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
