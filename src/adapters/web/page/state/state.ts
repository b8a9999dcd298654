import { assertNever } from "../../../../core/protocol/assert-never.ts";
import type { Form, FormProblems } from "../../../../core/protocol/form.ts";
import type { MessageBody, PageCommand, PageFile, PageMessage, PageThread } from "../../../render/local/wire.ts";
import type { ServerFrame } from "../../wire.ts";

/** All that the page knows, and how it changes. Pure: the controller does the talking. */

/**
 * connecting: first time; lost: it was open before; blocked: the server answers, but no socket opens; locked: the server
 * does not know our key.
 */
export type Connection = "connecting" | "open" | "lost" | "blocked" | "locked";

/** A message on its way: kept until the server says it is durable. */
export interface PendingMessage {
  readonly clientId: string;
  /** The thread's id; a message that opens a thread gives the thread its own id. */
  readonly threadId: string;
  readonly opens: boolean;
  readonly text: string;
  readonly files: readonly PageFile[];
  readonly at: number;
  /** Why the server did not take it; null while it is on its way. */
  readonly failure: string | null;
}

/** A click or a command that waits for its answer. */
export interface Click {
  /** Null where no thread is open. */
  readonly threadId: string | null;
  /** What was pressed, and where: two buttons of one message differ in their action. */
  readonly messageId: string;
  readonly action: string;
}

/** How everything stands, as the server told it last. */
export type Overview = Extract<ServerFrame, { type: "overview" }>;

/** What could stand at the end of what was typed. */
export type Completions = Extract<ServerFrame, { type: "completions" }>;

/** The private answer to a click or a command, shown beside the thread. */
export interface Reply {
  readonly threadId: string | null;
  readonly body: MessageBody;
}

/** A form that a command asks to be filled in. */
export interface OpenForm {
  readonly threadId: string | null;
  readonly form: Form;
  /** What is wrong with what was sent, by the fields' names. */
  readonly problems: FormProblems;
  /** The same however often it is sent; null before the first time. */
  readonly clickId: string | null;
  readonly isSending: boolean;
  /** Why it was not taken. */
  readonly failure: string | null;
}

/** Who has signed in. */
export type You = Extract<ServerFrame, { type: "you" }>;

/** False for an account that only reads: what it pressed would be refused. */
export function mayAct({ you }: Pick<PageState, "you">): boolean {
  return you?.role !== "viewer";
}

/** Where several people are, what waits may be for another one. */
export function whomItWaitsFor({ you }: Pick<PageState, "you">): "you" | "people" {
  return you === null ? "you" : "people";
}

export interface Team {
  /** Null: the list. */
  readonly sessionId: string | null;
}

/** What is open of how the program runs: a section of the page by its name, and where in it one is. */
export interface OpenSection {
  readonly name: string;
  /** The rest of the address, which is the section's own; empty at its beginning. */
  readonly rest: string;
}

export interface PageState {
  readonly connection: Connection;
  /** Null where nobody signs in. */
  readonly you: You | null;
  readonly threads: readonly PageThread[];
  /** The thread that is shown; null for a new one. */
  readonly openId: string | null;
  /** Sessions of all platforms are shown in its place, one of them or their list; null: they are not. */
  readonly team: Team | null;
  /** A section is shown instead; null: none is. */
  readonly section: OpenSection | null;
  /** The job that is shown beside it; null for none. */
  readonly openJob: string | null;
  readonly messages: ReadonlyMap<string, PageMessage>;
  /** Threads whose newest messages are here; the value says whether there are older ones. */
  readonly loaded: ReadonlyMap<string, boolean>;
  readonly sending: readonly PendingMessage[];
  /** The highest sequence number seen; null before the first welcome. */
  readonly lastSeq: number | null;
  readonly unread: ReadonlySet<string>;
  /** By click id. */
  readonly clicks: ReadonlyMap<string, Click>;
  readonly commands: readonly PageCommand[];
  /** Null before the first. */
  readonly overview: Overview | null;
  /** The last that the server offered for what is being typed; null before the first. */
  readonly completions: Completions | null;
  readonly reply: Reply | null;
  readonly form: OpenForm | null;
  /** One line about something that did not work. */
  readonly notice: string | null;
}

/** What the page shows. */
export type Opened = Pick<PageState, "openId" | "team" | "section">;

export type Change =
  | { readonly type: "frame"; readonly frame: ServerFrame }
  | { readonly type: "connection"; readonly connection: Connection }
  | { readonly type: "opened"; readonly threadId: string | null }
  | { readonly type: "team_opened"; readonly team: Team }
  | { readonly type: "section_opened"; readonly section: OpenSection }
  | { readonly type: "job_opened"; readonly jobId: string | null }
  | { readonly type: "sending"; readonly message: PendingMessage }
  | { readonly type: "discarded"; readonly clientId: string }
  /** Somebody else has signed in: what the one before was about to send is not theirs. */
  | { readonly type: "disowned" }
  | { readonly type: "clicked"; readonly clickId: string; readonly click: Click }
  | { readonly type: "notice"; readonly text: string | null }
  | { readonly type: "reply_closed" }
  | { readonly type: "form_sent"; readonly clickId: string }
  | { readonly type: "form_closed" };

export function initialState({ openId, team, section }: Opened, sending: readonly PendingMessage[]): PageState {
  return {
    connection: "connecting",
    you: null,
    threads: [],
    openId,
    team,
    section,
    openJob: null,
    messages: new Map(),
    loaded: new Map(),
    sending,
    lastSeq: null,
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
      // A click whose answer was lost with the connection may be made again.
      return {
        ...state,
        connection: change.connection,
        clicks: change.connection === "open" ? state.clicks : new Map(),
        form: change.connection === "open" ? state.form : notSent(state.form),
      };
    case "opened":
      return {
        ...state,
        openId: change.threadId,
        team: null,
        section: null,
        openJob: null,
        unread: without(state.unread, change.threadId),
        reply: state.reply?.threadId === change.threadId ? state.reply : null,
        notice: null,
      };
    case "team_opened":
      return { ...state, openId: null, team: change.team, section: null, openJob: null, reply: null, notice: null };
    case "section_opened":
      return { ...state, openId: null, team: null, section: change.section, openJob: null, reply: null, notice: null };
    case "job_opened":
      return { ...state, openJob: change.jobId, reply: null, notice: null };
    case "sending":
      return {
        ...state,
        sending: [...state.sending.filter((one) => one.clientId !== change.message.clientId), change.message],
      };
    case "disowned":
      return { ...state, sending: [] };
    case "discarded":
      return { ...state, sending: state.sending.filter((one) => one.clientId !== change.clientId) };
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

function reduceFrame(state: PageState, frame: ServerFrame): PageState {
  switch (frame.type) {
    case "welcome":
      return welcome(state, frame);
    case "thread":
      return frame.messages === null
        ? withoutThread(state, frame.threadId)
        : { ...withMessages(state, frame.messages), loaded: new Map(state.loaded).set(frame.threadId, frame.more) };
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
  const next: PageState = { ...state, connection: "open", threads, lastSeq: seq, commands };
  if (frame.changes === null) return { ...next, messages: new Map(), loaded: new Map() };
  const unread = frame.changes.filter((message) => isElsewhere(state, message)).map(({ threadId }) => threadId);
  return { ...withMessages(next, frame.changes), unread: new Set([...state.unread, ...unread]) };
}

/** Deckhand's words in a thread that is not the open one. */
function isElsewhere({ openId }: PageState, { threadId, body }: PageMessage): boolean {
  return threadId !== openId && body.by !== "person";
}

/** A thread that is not there; what is on its way to it stays in sight, and with it what becomes of that. */
function withoutThread(state: PageState, threadId: string): PageState {
  if (state.sending.some((one) => one.threadId === threadId)) {
    return { ...state, loaded: new Map(state.loaded).set(threadId, false) };
  }
  const left = {
    ...state,
    threads: state.threads.filter(({ id }) => id !== threadId),
    messages: new Map([...state.messages].filter(([, message]) => message.threadId !== threadId)),
    unread: without(state.unread, threadId),
  };
  if (state.openId !== threadId) return left;
  const what = state.loaded.has(threadId) ? "This thread was deleted." : "There is no such thread of yours any more.";
  return { ...left, openId: null, notice: `${what} Here you begin a new one.` };
}

/** A message that was posted or changed just now. */
function withNews(state: PageState, message: PageMessage, thread: PageThread | null): PageState {
  const next = withMessages(state, [message]);
  return {
    ...next,
    lastSeq: Math.max(state.lastSeq ?? 0, message.seq),
    threads: thread === null ? state.threads : [thread, ...state.threads.filter((one) => one.id !== thread.id)],
    unread: isElsewhere(state, message) ? new Set(state.unread).add(message.threadId) : state.unread,
  };
}

/** The newest state of each message wins, in whatever order they come. */
function withMessages(state: PageState, incoming: readonly PageMessage[]): PageState {
  const messages = new Map(state.messages);
  for (const message of incoming) {
    const known = messages.get(message.id);
    if (known !== undefined && known.seq >= message.seq) continue;
    messages.set(message.id, message);
  }
  return { ...state, messages };
}

/** What comes back with problems is the form that is open: its number stays. */
function withForm(state: PageState, { id, threadId, form, problems }: FormFrame): PageState {
  const clickId = state.form?.clickId === id ? id : null;
  return { ...state, form: { threadId, form, problems, clickId, isSending: false, failure: null } };
}

type FormFrame = Extract<ServerFrame, { type: "form" }>;

function withoutForm(state: PageState, clickId: string): PageState {
  return state.form?.clickId === clickId ? { ...state, form: null } : state;
}

function notSent(form: OpenForm | null): OpenForm | null {
  if (form?.isSending !== true) return form;
  return { ...form, isSending: false, failure: "The connection was lost. Send it again when it is back." };
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

/** What the server knows of the open thread's session; null before it has said so. */
export function sessionOf({ overview, openId }: PageState): Overview["session"] {
  return overview !== null && overview.threadId === openId ? overview.session : null;
}

/** What the server knows of the open job: null when there is none any more, undefined before it has said so. */
export function jobOf({ overview, openJob }: PageState): Overview["job"] | undefined {
  return overview !== null && overview.jobId === openJob ? overview.job : undefined;
}

/** The newest message that can still be stopped, and its button. */
export function newestStop(messages: readonly PageMessage[]): { messageId: string; action: string } | null {
  for (const message of messages.toReversed()) {
    const button = message.body.buttons.find(({ id }) => id.startsWith("stop:"));
    if (button !== undefined) return { messageId: message.id, action: button.id };
  }
  return null;
}
