import { assertNever } from "../../../../core/protocol/assert-never.ts";
import type { MessageBody, PageCommand, PageFile, PageMessage, PageThread } from "../../../render/local/wire.ts";
import type { ServerFrame } from "../../wire.ts";
import { notSent, type OpenForm, withForm, withoutForm } from "./forms.ts";

/** The page's state and its reducer, which is pure: the controller talks to the server. */

/**
 * connecting: never open yet; lost: open before; blocked: the server answers, but no socket opens; locked: the server
 * does not accept the page's key.
 */
export type Connection = "connecting" | "open" | "lost" | "blocked" | "locked";

/** A message that was sent and is kept until the server confirms that it is durable. */
export interface PendingMessage {
  readonly clientId: string;
  /** The thread's id; a message that opens a thread gives the thread its own id. */
  readonly threadId: string;
  readonly opens: boolean;
  readonly text: string;
  readonly files: readonly PageFile[];
  readonly at: number;
  /** Why the server refused the message; null while it is on its way. */
  readonly failure: string | null;
}

/** A file attached to a message that is being written. */
export interface Upload {
  readonly key: string;
  /** Null: it is for a new thread. */
  readonly threadId: string | null;
  readonly name: string;
  /** Null while the file is uploading. */
  readonly file: PageFile | null;
}

/** A click or a command that waits for its answer. */
export interface Click {
  /** Null where no thread is open. */
  readonly threadId: string | null;
  /** Identifies the pressed button together with `action`, which tells apart the buttons of one message. */
  readonly messageId: string;
  readonly action: string;
}

/** The latest overview that the server sent. */
export type Overview = Extract<ServerFrame, { type: "overview" }>;

/** Completions of the typed text that the server offers. */
export type Completions = Extract<ServerFrame, { type: "completions" }>;

/** The private answer to a click or a command, shown beside the thread. */
export interface Reply {
  readonly threadId: string | null;
  readonly body: MessageBody;
}

/** The signed-in person. */
export type You = Extract<ServerFrame, { type: "you" }>;

/** False for a read-only account, whose clicks the server would refuse. */
export function mayAct({ you }: Pick<PageState, "you">): boolean {
  return you?.role !== "viewer";
}

/** "people" if people sign in, since a waiting card may then be meant for somebody else. */
export function whoMustAct({ you }: Pick<PageState, "you">): "you" | "people" {
  return you === null ? "you" : "people";
}

/** The open section of the page, by its name, and the place within it. */
export interface OpenSection {
  readonly name: string;
  /** The section's own part of the address; empty at its start. */
  readonly rest: string;
}

export interface PageState {
  readonly connection: Connection;
  /** Null if the page has no sign-in. */
  readonly you: You | null;
  readonly threads: readonly PageThread[];
  /** The shown thread; null for a new one. */
  readonly openId: string | null;
  /** The section shown in place of the thread; null for none. */
  readonly section: OpenSection | null;
  /** The job shown beside the thread; null for none. */
  readonly openJob: string | null;
  readonly messages: ReadonlyMap<string, PageMessage>;
  /** Threads whose newest messages are loaded, and the position of the first of them; 0 if there are no older ones. */
  readonly loaded: ReadonlyMap<string, number>;
  readonly sending: readonly PendingMessage[];
  readonly uploads: readonly Upload[];
  /** The highest sequence number seen; null before the first welcome. */
  readonly lastSeq: number | null;
  /** Messages up to this sequence number may have been deleted, until they are loaded again. */
  readonly staleSeq: number;
  readonly unread: ReadonlySet<string>;
  readonly clicks: ReadonlyMap<string, Click>;
  readonly commands: readonly PageCommand[];
  /** Null before the server sends the first. */
  readonly overview: Overview | null;
  /** The latest completions from the server; null before the first. */
  readonly completions: Completions | null;
  readonly reply: Reply | null;
  readonly form: OpenForm | null;
  /** One line about something that failed. */
  readonly notice: string | null;
}

/** What the page shows. */
export type Route = Pick<PageState, "openId" | "section">;

export type Change =
  | { readonly type: "frame"; readonly frame: ServerFrame }
  | { readonly type: "connection"; readonly connection: Connection }
  | { readonly type: "opened"; readonly threadId: string | null }
  | { readonly type: "section_opened"; readonly section: OpenSection }
  | { readonly type: "job_opened"; readonly jobId: string | null }
  | { readonly type: "sending"; readonly message: PendingMessage }
  | { readonly type: "discarded"; readonly clientId: string }
  | { readonly type: "uploads"; readonly uploads: readonly Upload[] }
  /** Drops the unsent messages of the previous person, because somebody else has signed in. */
  | { readonly type: "disowned" }
  | { readonly type: "clicked"; readonly clickId: string; readonly click: Click }
  | { readonly type: "notice"; readonly text: string | null }
  | { readonly type: "reply_closed" }
  | { readonly type: "form_sent"; readonly clickId: string }
  | { readonly type: "form_closed" };

export function initialState(known: Route & Pick<PageState, "sending" | "uploads">): PageState {
  return {
    ...known,
    connection: "connecting",
    you: null,
    threads: [],
    openJob: null,
    messages: new Map(),
    loaded: new Map(),
    lastSeq: null,
    staleSeq: 0,
    unread: new Set(),
    clicks: new Map(),
    commands: [],
    overview: null,
    completions: null,
    reply: null,
    form: null,
    notice: null,
  };
}

export function reduce(state: PageState, change: Change): PageState {
  switch (change.type) {
    case "frame":
      return reduceFrame(state, change.frame);
    case "connection":
      // A click whose answer was lost with the connection can be repeated.
      return {
        ...state,
        connection: change.connection,
        clicks: change.connection === "open" ? state.clicks : new Map(),
        form: change.connection === "open" ? state.form : notSent(state.form),
      };
    case "opened":
      return {
        ...showing(state, { openId: change.threadId, section: null }),
        unread: without(state.unread, change.threadId),
        reply: state.reply?.threadId === change.threadId ? state.reply : null,
      };
    case "section_opened":
      return showing(state, { openId: null, section: change.section });
    case "job_opened":
      return { ...state, openJob: change.jobId, reply: null, notice: null };
    case "sending":
      return {
        ...state,
        sending: [...state.sending.filter((one) => one.clientId !== change.message.clientId), change.message],
      };
    case "disowned":
      return { ...state, sending: [], uploads: [] };
    case "discarded":
      return { ...state, sending: state.sending.filter((one) => one.clientId !== change.clientId) };
    case "uploads":
      return { ...state, uploads: change.uploads };
    case "clicked":
      return { ...state, notice: null, clicks: new Map(state.clicks).set(change.clickId, change.click) };
    case "notice":
      return { ...state, notice: change.text };
    case "reply_closed":
      return { ...state, reply: null };
    case "form_sent":
      return {
        ...state,
        form: state.form && { ...state.form, clickId: change.clickId, isSending: true, failure: null },
      };
    case "form_closed":
      return { ...state, form: null };
    default:
      return assertNever(change);
  }
}

/** Shows something else. What failed while no thread was shown is told once one is. */
function showing(state: PageState, shown: Route): PageState {
  const notice = state.section === null ? null : state.notice;
  return { ...state, ...shown, openJob: null, reply: null, notice };
}

function reduceFrame(state: PageState, frame: ServerFrame): PageState {
  switch (frame.type) {
    case "welcome":
      return welcome(state, frame);
    case "thread":
      return frame.messages === null ? withoutThread(state, frame.threadId) : withLoaded(state, frame, frame.messages);
    case "erased":
      // What the open thread shows stays until it is loaded again, so that the reader keeps the place.
      return frame.threadId === state.openId
        ? { ...state, staleSeq: state.lastSeq ?? 0 }
        : { ...state, ...withoutMessages(state, frame.threadId) };
    case "message":
      return withNews(state, frame.message, frame.thread);
    case "sent":
      return { ...state, sending: state.sending.filter((one) => one.clientId !== frame.clientId) };
    case "clicked":
      return withoutForm(withoutClick(state, frame.clickId), frame.clickId);
    case "overview":
      return { ...state, overview: frame };
    case "you":
      return { ...state, you: frame };
    case "changed":
    case "status":
    case "sessions":
      return state;
    case "completions":
      return { ...state, completions: frame };
    case "reply": {
      const asked = state.clicks.get(frame.clickId) ?? (state.form?.clickId === frame.clickId ? state.form : null);
      const rest = withoutForm(withoutClick(state, frame.clickId), frame.clickId);
      return asked === null ? rest : { ...rest, reply: { threadId: asked.threadId, body: frame.body } };
    }
    case "form":
      return withForm(withoutClick(state, frame.id), frame);
    case "failed":
      return failed(state, frame.id, frame.reason);
    case "rejected":
      return { ...state, notice: frame.reason };
    default:
      return assertNever(frame);
  }
}

function welcome(state: PageState, frame: Extract<ServerFrame, { type: "welcome" }>): PageState {
  const { threads, seq, commands } = frame;
  const welcomed = { ...state, connection: "open", threads, lastSeq: seq, staleSeq: seq, commands } as const;
  // A number that is lower than before comes from another database.
  if (seq < (state.lastSeq ?? 0)) return { ...welcomed, messages: new Map(), loaded: new Map() };
  // What the open thread shows stays until it is loaded again.
  const messages = new Map(messagesOf(state, state.openId).map((message) => [message.id, message]));
  const loaded = new Map([...state.loaded].filter(([id]) => id === state.openId));
  const next: PageState = { ...welcomed, messages, loaded };
  const all = frame.changes ?? [];
  const unread = all.filter((message) => isElsewhere(state, message)).map(({ threadId }) => threadId);
  const changes = all.filter((message) => !isLoadedLater(next, message));
  return { ...withMessages(next, changes), unread: new Set([...state.unread, ...unread]) };
}

/** Whether a message is Deckhand's and belongs to a thread other than the open one. */
function isElsewhere({ openId }: PageState, { threadId, body }: PageMessage): boolean {
  return threadId !== openId && body.by !== "person";
}

/** Removes a missing thread, unless a message on its way is to open it. */
function withoutThread(state: PageState, threadId: string): PageState {
  const unsent = state.sending.filter((one) => one.threadId === threadId);
  if (unsent.some(({ opens }) => opens)) return { ...state, loaded: new Map(state.loaded).set(threadId, 0) };
  const isOpen = state.openId === threadId;
  // A thread with unsent messages is listed until it is opened.
  const threads = state.threads.filter(({ id }) => id !== threadId || (!isOpen && unsent.length > 0));
  const left = { ...state, threads, ...withoutMessages(state, threadId), unread: without(state.unread, threadId) };
  if (!isOpen) return left;
  // The draft and what was not sent are kept for the new thread that is shown now.
  const uploads = [
    ...state.uploads.map((upload) => (upload.threadId === threadId ? { ...upload, threadId: null } : upload)),
    ...unsent.flatMap(({ clientId, files }) =>
      files.map((file, index) => ({ key: `${clientId}:${index}`, threadId: null, name: file.name, file })),
    ),
  ];
  const sending = state.sending.filter((one) => !unsent.includes(one));
  const form = state.form?.threadId === threadId ? { ...state.form, threadId: null } : state.form;
  const what = messagesOf(state, threadId).length > 0 ? "This thread was deleted." : "Your thread no longer exists.";
  const notice = mayAct(state) ? `${what} You can start a new one here.` : what;
  return { ...left, uploads, sending, form, openId: null, notice };
}

/** Forgets what is loaded of a thread. */
function withoutMessages({ messages, loaded }: PageState, threadId: string): Pick<PageState, "messages" | "loaded"> {
  return {
    messages: new Map([...messages].filter(([, message]) => message.threadId !== threadId)),
    loaded: new Map([...loaded].filter(([id]) => id !== threadId)),
  };
}

/** Adds a message that was just posted or changed. */
function withNews(state: PageState, message: PageMessage, thread: PageThread | null): PageState {
  return {
    ...withMessages(state, isLoadedLater(state, message) ? [] : [message]),
    lastSeq: Math.max(state.lastSeq ?? 0, message.seq),
    threads: thread === null ? state.threads : [thread, ...state.threads.filter((one) => one.id !== thread.id)],
    unread: isElsewhere(state, message) ? new Set(state.unread).add(message.threadId) : state.unread,
  };
}

/** Whether a message comes with others that are loaded on demand. The open thread may be loading just now. */
function isLoadedLater({ messages, loaded, openId }: PageState, { id, threadId, position }: PageMessage): boolean {
  return position < (loaded.get(threadId) ?? (threadId === openId ? 0 : Infinity)) && !messages.has(id);
}

/** Adds a part of a thread, and removes what was deleted of that part while the page was away. */
function withLoaded(state: PageState, frame: ThreadFrame, incoming: readonly PageMessage[]): PageState {
  const { threadId, before, more } = frame;
  const known = state.loaded.get(threadId);
  // The thread was left or forgotten meanwhile: what it was told since is missing here.
  if (known === undefined && (before !== null || threadId !== state.openId)) return state;
  // Where all of them are notes to other people, nothing comes.
  const first = more ? (incoming[0]?.position ?? before ?? 0) : 0;
  const from = Math.min(first, known ?? first);
  const isReplaced = ({ position, seq, ...message }: PageMessage): boolean => {
    if (message.threadId !== threadId) return false;
    const isOfPart = first <= position && position < (before ?? Infinity);
    return position < from || (isOfPart && seq <= state.staleSeq);
  };
  const messages = new Map([...state.messages].filter(([, message]) => !isReplaced(message)));
  return { ...withMessages({ ...state, messages }, incoming), loaded: new Map(state.loaded).set(threadId, from) };
}

type ThreadFrame = Extract<ServerFrame, { type: "thread" }>;

/** Keeps the newest version of each message, in whatever order the versions arrive. */
function withMessages(state: PageState, incoming: readonly PageMessage[]): PageState {
  const messages = new Map(state.messages);
  for (const message of incoming) {
    const known = messages.get(message.id);
    if (known !== undefined && known.seq >= message.seq) continue;
    messages.set(message.id, message);
  }
  return { ...state, messages };
}

function failed(state: PageState, id: string, reason: string): PageState {
  if (state.form?.clickId === id) return { ...state, form: { ...state.form, isSending: false, failure: reason } };
  if (state.clicks.has(id)) return { ...withoutClick(state, id), notice: reason };
  return { ...state, sending: state.sending.map((one) => (one.clientId === id ? { ...one, failure: reason } : one)) };
}

function withoutClick(state: PageState, clickId: string): PageState {
  const clicks = new Map(state.clicks);
  clicks.delete(clickId);
  return { ...state, clicks };
}

function without(set: ReadonlySet<string>, id: string | null): ReadonlySet<string> {
  return id === null || !set.has(id) ? set : new Set([...set].filter((one) => one !== id));
}

/** A thread's stored messages, oldest first. */
export function messagesOf(state: PageState, threadId: string | null): PageMessage[] {
  return [...state.messages.values()]
    .filter((message) => message.threadId === threadId)
    .sort((a, b) => a.position - b.position);
}

/** Returns the session of the open thread from the latest overview; null before the first overview. */
export function sessionOf({ overview, openId }: PageState): Overview["session"] {
  return overview !== null && overview.threadId === openId ? overview.session : null;
}

/** Returns the open job from the latest overview: null if it no longer exists, undefined if not yet known. */
export function jobOf({ overview, openJob }: PageState): Overview["job"] | undefined {
  return overview !== null && overview.jobId === openJob ? overview.job : undefined;
}
