import type { OpenFeature } from "../../../feature.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { commonPrefixLength, STORED_MS, type StreamedAnswer, type StreamedAnswers } from "../streamed-answers.ts";
import { idMessages, parseRelayMessage, type RelayMessage, textMessages } from "./relay-messages.ts";
import { runReads } from "./store.ts";

/** Changes within this time are sent together. In milliseconds. */
const BATCH_MS = 100;
/**
 * How often, while a page is open, other processes are asked for their runs, and the database for the sessions in work.
 * In milliseconds.
 */
const POLL_MS = 2_000;
/** How long a request from another process is answered, in milliseconds. */
const REQUEST_MS = 3 * POLL_MS;
/** How long an ended run is still looked at, in milliseconds. */
const ENDED_MS = 2 * POLL_MS;

/** What pages do with news from other processes. */
export interface RelayListener {
  readonly changed: (sessionId: string) => void;
  readonly written: () => void;
}

/** Shows the runs of other processes to this one's pages, and this process's runs to theirs. */
export interface RunRelay {
  /** Starts watching a session, or lists if null; returns a function that ends it. */
  watch(sessionId: string | null, listener: RelayListener): () => void;
  /** Takes an event of a run in this process. */
  readonly note: NonNullable<OpenFeature["watchRun"]>;
  /** The answer being written in a session elsewhere, as far as known. */
  readonly in: StreamedAnswers["in"];
}

type Host = Pick<FeatureHost, "cluster" | "runtime" | "log" | "store" | "hideIn">;

interface Scope extends Host {
  readonly streamed: Pick<StreamedAnswers, "in">;
  readonly publish: (words: readonly RelayMessage[]) => void;
}

/** While no page is open anywhere, the processes send nothing. */
export function createRunRelay(host: Host, streamed: Pick<StreamedAnswers, "in">): RunRelay {
  const { cluster, log } = host;
  const publish = (words: readonly RelayMessage[]): void => {
    if (cluster.size() < 2) return;
    for (const word of words)
      cluster
        .publish("runs", JSON.stringify(word))
        .catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
  };
  const scope = { ...host, streamed, publish };
  const sender = createSender(scope);
  const receiver = createReceiver(scope);
  cluster.subscribe("runs", (about) => {
    const word = parseRelayMessage(about);
    if (word === null) return;
    if ("ask" in word) sender.asked(word);
    else receiver.take(word);
  });
  return {
    watch: (sessionId, listener) => receiver.watch(sessionId, listener),
    in: receiver.in,
    note: (run, event) => {
      receiver.forget(run.sessionId);
      sender.note(run, event);
    },
  };
}

/** Sends news of this process's runs to processes that asked recently. */
function createSender({ runtime: { clock }, hideIn, streamed, publish }: Scope) {
  const asked = new Map<string, number>();
  const sent = new Map<string, StreamedAnswer>();
  const changed = new Set<string>();
  let askedUntil = 0;
  let isDue = false;

  const wordsOf = (sessionId: string): RelayMessage[] => {
    const written = streamed.in(sessionId);
    if (written === null) return [];
    const before = sent.get(sessionId);
    // Masks the whole text, since a secret may arrive in parts, and does so here, since only this process may know the
    // secret.
    const text = hideIn(written.text);
    const was = before?.id === written.id ? before.text : "";
    sent.set(sessionId, { id: written.id, text });
    if (text === was) return [];
    const at = commonPrefixLength(was, text);
    return textMessages({ sessionId, answer: written.id, at, text: text.slice(at) });
  };
  const flush = (): void => {
    isDue = false;
    const now = clock.now();
    for (const [sessionId, until] of asked) if (until <= now) asked.delete(sessionId);
    for (const sessionId of sent.keys()) if (!asked.has(sessionId)) sent.delete(sessionId);
    publish(idMessages([...changed], (ids) => ({ changed: ids })));
    changed.clear();
    for (const sessionId of asked.keys()) publish(wordsOf(sessionId));
  };
  const flushSoon = (): void => {
    if (isDue) return;
    isDue = true;
    clock.after(BATCH_MS, flush);
  };
  const note: RunRelay["note"] = ({ sessionId }, event) => {
    if (clock.now() >= askedUntil) return;
    if (event.type !== "token" && event.type !== "text_discarded") changed.add(sessionId);
    if (event.type === "closed") {
      sent.delete(sessionId);
      publish([{ ended: [sessionId] }]);
      clock.after(STORED_MS, () => {
        changed.add(sessionId);
        flushSoon();
      });
    }
    flushSoon();
  };
  return {
    note,
    asked({ ask, anew }: Extract<RelayMessage, { ask: string[] }>): void {
      askedUntil = clock.now() + REQUEST_MS;
      for (const sessionId of ask) {
        asked.set(sessionId, askedUntil);
        if (anew) sent.delete(sessionId);
      }
      if (anew) flushSoon();
    },
  };
}

/** Receives news of other processes' runs while pages of this process are open. */
function createReceiver({ runtime: { clock }, log, store, publish }: Scope) {
  const pages = new Set<{ readonly sessionId: string | null; readonly listener: RelayListener }>();
  const written = new Map<string, StreamedAnswer>();
  const reads = store.tables(runReads);
  let inWork: readonly string[] = [];
  let stop: (() => void) | null = null;

  const shown = () => new Set([...pages].flatMap(({ sessionId }) => sessionId ?? []));
  const ask = (anew: boolean, ids: readonly string[] = [...shown()]): void =>
    publish(ids.length === 0 ? [{ ask: [], anew }] : idMessages(ids, (some) => ({ ask: some, anew })));
  const changed = (ids: Iterable<string>): void => {
    for (const id of ids) for (const { listener } of pages) listener.changed(id);
  };
  const look = async (): Promise<void> => {
    const now = await reads.inWork(clock.now() - ENDED_MS);
    changed(new Set([...inWork, ...now]));
    inWork = now;
  };
  const lookAgain = (): void => {
    stop = clock.after(POLL_MS, () => {
      lookAgain();
      ask(false);
      look().catch((error: unknown) => log.warn({ err: error }, "runs_not_followed"));
    });
  };
  const takeText = ({ sessionId, answer, at, text }: Extract<RelayMessage, { text: string }>): void => {
    if (!shown().has(sessionId)) return;
    const before = written.get(sessionId);
    const known = before?.id === answer ? before.text : "";
    // An earlier part was lost, so the whole text is requested again.
    if (at > known.length) return ask(true, [sessionId]);
    written.set(sessionId, { id: answer, text: known.slice(0, at) + text });
    for (const { listener } of pages) listener.written();
  };
  return {
    in: (sessionId: string) => written.get(sessionId) ?? null,
    forget: (sessionId: string): void => {
      written.delete(sessionId);
    },
    take(word: Exclude<RelayMessage, { ask: string[] }>): void {
      if ("text" in word) return takeText(word);
      if ("changed" in word) return changed(word.changed);
      for (const sessionId of word.ended) written.delete(sessionId);
      changed(word.ended);
    },
    watch(sessionId: string | null, listener: RelayListener): () => void {
      const page = { sessionId, listener };
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
