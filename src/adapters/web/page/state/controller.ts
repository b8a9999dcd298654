import type { FormValues } from "../../../../core/protocol/form.ts";
import { FRAME_BYTES } from "../../../render/local/frame-limits.ts";
import type { PageFile } from "../../../render/local/wire.ts";
import type { SessionNews } from "../../sessions/team-sessions.ts";
import type { ClientFrame, ServerFrame } from "../../wire.ts";
import { addressOf, routeIn } from "./address.ts";
import { connect } from "./connection.ts";
import {
  claimStorageFor,
  clearStorage,
  moveDraft,
  readDraftFiles,
  readPendingMessages,
  storeDraft,
  storeDraftFiles,
  storePendingMessages,
} from "./local-storage.ts";
import { newId } from "./new-id.ts";
import { createOverviewPoller } from "./overview-poller.ts";
import { newestStop } from "./run-details.ts";
import {
  type Change,
  type Click,
  initialState,
  messagesOf,
  type PageState,
  type PendingMessage,
  type Route,
  reduce,
  type Upload,
} from "./state.ts";

export interface Controller {
  readonly state: () => PageState;
  /** Calls back after every change; returns a function that unsubscribes. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly openThread: (threadId: string | null) => void;
  /** Shows a section; `rest` is the section's own part of the address. */
  readonly openSection: (name: string, rest?: string) => void;
  /** Calls back with news of sessions, or null if some may have been missed; returns a function that unsubscribes. */
  readonly watch: (watched: Watched, onNews: (news: SessionNews | null) => void) => () => void;
  /** Reloads the list of threads, since some may have been deleted. */
  readonly reload: () => void;
  /** Asks the server for a new overview. */
  readonly refreshOverview: () => void;
  readonly loadEarlier: () => void;
  readonly send: (text: string, files: readonly PageFile[]) => void;
  readonly retry: (message: PendingMessage) => void;
  readonly discard: (message: PendingMessage) => void;
  /** Changes the files that are attached, in whatever thread. */
  readonly changeUploads: (change: (uploads: readonly Upload[]) => readonly Upload[]) => void;
  readonly click: (messageId: string, action: string) => void;
  /** Shows a job beside the thread; null for none. */
  readonly openJob: (jobId: string | null) => void;
  /** Runs a command in the open thread, or in none; the answer is shown beside it. */
  readonly command: (name: string, args: string) => void;
  /** Asks the server for completions of the typed text. */
  readonly complete: (text: string) => void;
  /** Presses the newest Stop button of the open thread; false when nothing runs. */
  readonly stop: () => boolean;
  readonly notify: (text: string | null) => void;
  readonly closeReply: () => void;
  readonly signOut: () => void;
  /** Sends the open form. */
  readonly submitForm: (filled: FormValues) => void;
  readonly closeForm: () => void;
}

interface Store {
  readonly state: () => PageState;
  readonly apply: (change: Change) => void;
  readonly subscribe: Controller["subscribe"];
}

function createStore(): Store {
  let state = initialState({ ...routeIn(), sending: readPendingMessages(), uploads: readDraftFiles() });
  const listeners = new Set<() => void>();
  return {
    state: () => state,
    apply: (change) => {
      const before = state;
      state = reduce(state, change);
      if (state.sending !== before.sending) storePendingMessages(before.sending, state.sending);
      if (state.uploads !== before.uploads) storeDraftFiles(before.uploads, state.uploads);
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

type Watched = Extract<ClientFrame, { type: "watch" }>["watched"];

interface ServerLink {
  readonly watch: Controller["watch"];
  readonly sendFrame: (frame: ClientFrame) => boolean;
  /** Requests the newest messages of the open thread. */
  readonly load: () => void;
  readonly transmit: (message: PendingMessage) => void;
  /** Asks the server for an overview. */
  readonly refreshOverview: () => void;
}

/** Keeps the store up to date with the server, and resends unconfirmed messages after a reconnect. */
function linkToServer({ state, apply }: Store): ServerLink {
  let watcher: { readonly watched: Watched; readonly onNews: (news: SessionNews | null) => void } | null = null;
  const connection = connect({
    opened: () => connection.send({ type: "hello", seq: state().lastSeq }),
    received: (frame) => {
      const { openId, sending } = state();
      apply({ type: "frame", frame });
      if (frame.type === "you" && claimStorageFor(frame.personId)) {
        apply({ type: "disowned" });
        location.reload();
      }
      if (openId !== null && state().openId === null) leaveGoneThread(openId, sending);
      if (frame.type === "message" || frame.type === "changed") poller.soon();
      if (frame.type === "sessions") watcher?.onNews(frame.news);
      if (frame.type === "erased" && frame.threadId === openId) load();
      const earlier = frame.type === "thread" ? earlierPart(state(), frame) : null;
      if (earlier !== null) connection.send(earlier);
      if (frame.type === "reply" || frame.type === "clicked") poller.now();
      if (frame.type === "overview") poller.received(Object.keys(frame.busy).length > 0);
      if (frame.type !== "welcome") return;
      load();
      poller.now();
      if (watcher !== null) {
        connection.send({ type: "watch", watched: watcher.watched });
        watcher.onNews(null);
      }
      for (const message of state().sending) if (message.failure === null) transmit(message);
    },
    lost: () => apply({ type: "connection", connection: state().lastSeq === null ? "connecting" : "lost" }),
    blocked: () => apply({ type: "connection", connection: "blocked" }),
    locked: () => {
      apply({ type: "connection", connection: "locked" });
      // The server redirects to the sign-in page, which returns to what is open here.
      if (state().you !== null) location.reload();
    },
  });
  const poller = createOverviewPoller(() => {
    const { openId: threadId, openJob: jobId } = state();
    connection.send({ type: "look", threadId, jobId });
  });
  const load = (): void => {
    const { openId: threadId } = state();
    if (threadId !== null) connection.send({ type: "open", threadId, before: null });
  };
  /** Sends nothing before the server's welcome, which sends the waiting messages. */
  const transmit = ({ clientId, threadId, opens, text, files }: PendingMessage): void => {
    if (state().connection !== "open") return;
    const fileIds = files.map((file) => file.id);
    connection.send({ type: "send", clientId, threadId: opens ? null : threadId, text, fileIds });
  };
  const watch: Controller["watch"] = (watched, onNews) => {
    const own = { watched, onNews };
    watcher = own;
    connection.send({ type: "watch", watched });
    return () => {
      if (watcher !== own) return;
      watcher = null;
      connection.send({ type: "watch", watched: { kind: "nothing" } });
    };
  };
  return { sendFrame: connection.send, load, transmit, refreshOverview: poller.now, watch };
}

/** Requests again what the page has of the thread from before the messages that came; null if there is nothing. */
function earlierPart(
  { loaded }: PageState,
  { threadId, messages, more }: Extract<ServerFrame, { type: "thread" }>,
): ClientFrame | null {
  const [first] = messages ?? [];
  if (!more || first === undefined || (loaded.get(threadId) ?? Infinity) >= first.position) return null;
  return { type: "open", threadId, before: first.position };
}

/** Sends clicks and commands; each is sent only once while its answer is pending. */
function clickActions(
  { state, apply }: Store,
  { sendFrame }: ServerLink,
): Pick<Controller, "click" | "command" | "complete"> {
  const press = (pressed: Click, frame: (clickId: string) => ClientFrame): void => {
    if (isPending(state(), pressed.messageId, pressed.action)) return;
    const clickId = newId();
    if (sendFrame(frame(clickId))) apply({ type: "clicked", clickId, click: pressed });
    else apply({ type: "notice", text: "No connection. Try again when it is back." });
  };
  return {
    click: (messageId, action) => {
      const threadId = state().messages.get(messageId)?.threadId ?? "";
      press({ threadId, messageId, action }, (clickId) => ({ type: "click", clickId, messageId, action }));
    },
    // A lost request needs no notice, because the next keystroke asks again.
    complete: (text) => {
      sendFrame({ type: "complete", threadId: state().openId, text });
    },
    command: (name, args) => {
      const threadId = state().openId;
      const pressed = { threadId, messageId: "", action: commandAction(name, args) };
      press(pressed, (clickId) => ({ type: "command", clickId, threadId, name, args }));
    },
  };
}

/** Moves unsent words of a deleted thread to the draft of a new one, and removes the thread from the page's address. */
function leaveGoneThread(threadId: string, sending: PageState["sending"]): void {
  const unsent = sending.filter((one) => one.threadId === threadId);
  moveDraft(
    threadId,
    unsent.map(({ text }) => text),
  );
  history.replaceState(null, "", addressOf({ openId: null, section: null }));
}

function pressStop({ state }: Store, { click }: Pick<Controller, "click">): boolean {
  const stop = newestStop(messagesOf(state(), state().openId));
  if (stop !== null) click(stop.messageId, stop.action);
  return stop !== null;
}

/** Shown before a form is sent, because a frame that is too long would end the connection. */
const TOO_LONG = `It is longer than ${FRAME_BYTES / 1024} KB in total. Shorten it.`;

/** Sends and closes the open form, which keeps its values until the server accepts them. */
function formActions({ state, apply }: Store, { sendFrame }: ServerLink): Pick<Controller, "submitForm" | "closeForm"> {
  return {
    submitForm: (filled) => {
      const { form: open } = state();
      if (open === null || open.isSending) return;
      const clickId = open.clickId ?? newId();
      const { threadId, form } = open;
      apply({ type: "form_sent", clickId });
      const frame = { type: "command", clickId, threadId, name: form.command, args: form.line, filled } as const;
      const isTooLong = new Blob([JSON.stringify(frame)]).size > FRAME_BYTES;
      if (isTooLong) apply({ type: "frame", frame: { type: "failed", id: clickId, reason: TOO_LONG } });
      else if (!sendFrame(frame)) apply({ type: "connection", connection: "lost" });
    },
    closeForm: () => apply({ type: "form_closed" }),
  };
}

/** Keeps what the page shows in step with its address. */
function navigation(
  { state, apply }: Store,
  { load, refreshOverview }: ServerLink,
): Pick<Controller, "openThread" | "openSection"> {
  const show = ({ openId, section }: Route): void => {
    if (section !== null) return apply({ type: "section_opened", section });
    apply({ type: "opened", threadId: openId });
    if (openId !== null && !state().loaded.has(openId)) load();
    refreshOverview();
  };
  const open = (opened: Route): void => {
    goTo(opened);
    show(opened);
  };
  addEventListener("popstate", () => show(routeIn()));
  return {
    openThread: (openId) => open({ openId, section: null }),
    openSection: (name, rest = "") => open({ openId: null, section: { name, rest } }),
  };
}

export function createController(): Controller {
  const store = createStore();
  const { state, apply, subscribe } = store;
  const server = linkToServer(store);
  const { sendFrame, transmit, refreshOverview } = server;
  const pressing = clickActions(store, server);
  const places = navigation(store, server);
  const dispatch = (message: PendingMessage): void => {
    apply({ type: "sending", message });
    transmit(message);
  };

  return {
    state,
    subscribe,
    ...places,
    watch: server.watch,
    openJob: (jobId) => {
      apply({ type: "job_opened", jobId });
      refreshOverview();
    },
    ...pressing,
    ...formActions(store, server),
    refreshOverview,
    reload: () => {
      sendFrame({ type: "hello", seq: null });
    },
    loadEarlier: () => {
      const [oldest] = messagesOf(state(), state().openId);
      if (oldest !== undefined) sendFrame({ type: "open", threadId: oldest.threadId, before: oldest.position });
    },
    send: (text, files) => {
      const clientId = newId();
      const { openId } = state();
      const threadId = openId ?? clientId;
      storeDraft(openId, "");
      dispatch({ clientId, threadId, opens: openId === null, text, files, at: Date.now(), failure: null });
      if (openId === null) places.openThread(threadId);
    },
    retry: (message) => dispatch({ ...message, failure: null }),
    discard: ({ clientId }) => apply({ type: "discarded", clientId }),
    changeUploads: (change) => apply({ type: "uploads", uploads: change(state().uploads) }),
    stop: () => pressStop(store, pressing),
    notify: (text) => apply({ type: "notice", text }),
    closeReply: () => apply({ type: "reply_closed" }),
    signOut: () => void signOut(store),
  };
}

async function signOut({ state, apply }: Store): Promise<void> {
  try {
    await fetch("/logout", { method: "POST", headers: changeHeaders(state()) });
    clearStorage();
    location.assign("/");
  } catch {
    apply({ type: "notice", text: "No connection. Try again when it is back." });
  }
}

/** Returns the headers that every changing request needs. */
export function changeHeaders({ you }: PageState): Readonly<Record<string, string>> {
  return you === null ? {} : { "x-deckhand-change": you.changeToken };
}

/** Returns the action under which a command is listed among the pending clicks. */
export function commandAction(name: string, args: string): string {
  return `/${name} ${args}`;
}

export function isPending(state: PageState, messageId: string, action: string): boolean {
  return [...state.clicks.values()].some((click) => click.messageId === messageId && click.action === action);
}

function goTo(opened: Route): void {
  const address = addressOf(opened);
  if (address !== addressOf(routeIn())) history.pushState(null, "", address);
}
