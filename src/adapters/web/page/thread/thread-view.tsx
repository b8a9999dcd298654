import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PageMessage } from "../../../render/local/wire.ts";
import type { Column } from "../column.ts";
import { Composer } from "../composer/composer.tsx";
import { MainHead } from "../main-head.tsx";
import type { Controller } from "../state/controller.ts";
import { isQuestion } from "../state/run-details.ts";
import { mayAct, messagesOf, type PageState } from "../state/state.ts";
import { CloseIcon, PanelIcon } from "../text/icons.tsx";
import { EmptyThread } from "./empty-thread.tsx";
import { MessageItem } from "./message-item.tsx";
import { SendingItem } from "./sending-item.tsx";

/** What every main part of the page is given. */
export interface MainProps {
  readonly state: PageState;
  readonly controller: Controller;
  readonly now: number;
  readonly show: (column: Column) => void;
}

export interface ThreadViewProps extends MainProps {
  readonly title: string;
}

export function ThreadView({ state, controller, title, now, show }: ThreadViewProps): JSX.Element {
  const messages = messagesOf(state, state.openId);
  const sending = state.sending.filter((one) => one.threadId === state.openId && !state.messages.has(one.clientId));
  const isEmpty = messages.length === 0 && sending.length === 0;
  const sent = sending.findLast(({ failure }) => failure === null)?.clientId;
  const list = useStickToEnd(isEmpty ? null : `${messages.at(-1)?.id} ${sent}`, sent);
  const keepPlace = useKeptPlace(list, messages[0]?.id);
  const newestOfPerson = messages.findLast((message) => message.body.by === "person")?.id;
  return (
    <main class="thread">
      <MainHead title={title} show={show} isWaiting={waitElsewhere(state)}>
        <button type="button" class="icon-button medium-only" aria-label="Details" onClick={() => show("details")}>
          <PanelIcon />
        </button>
      </MainHead>
      <ConnectionBar state={state} />
      <div class="scroller" ref={list} tabindex={-1}>
        {isEmpty ? (
          <EmptyPane state={state} controller={controller} />
        ) : (
          <ol class="messages" aria-label="Messages">
            {(state.loaded.get(state.openId ?? "") ?? 0) > 0 && (
              <li class="earlier">
                <button
                  type="button"
                  onClick={() => {
                    keepPlace();
                    controller.loadEarlier();
                  }}
                >
                  Show earlier messages
                </button>
              </li>
            )}
            {messages.map((message, index) => (
              <MessageItem
                key={message.id}
                message={message}
                continues={continues(messages[index - 1], message)}
                state={state}
                now={now}
                controller={controller}
                isNewestOfPerson={message.id === newestOfPerson}
              />
            ))}
            {sending.map((message) => (
              <SendingItem key={message.clientId} message={message} now={now} controller={controller} />
            ))}
          </ol>
        )}
      </div>
      {state.notice !== null && <Notice text={state.notice} dismiss={() => controller.notify(null)} />}
      {mayAct(state) ? <Composer state={state} controller={controller} /> : <OnlyReads />}
    </main>
  );
}

function OnlyReads(): JSX.Element {
  return <p class="composer hint">Your account may only read.</p>;
}

function waitElsewhere({ overview, openId }: PageState): boolean {
  return Object.entries(overview?.busy ?? {}).some(([id, busy]) => busy === "waiting" && id !== openId);
}

function Notice({ text, dismiss }: { readonly text: string; readonly dismiss: () => void }): JSX.Element {
  return (
    <div class="notice" role="alert">
      <span>{text}</span>
      <button type="button" class="icon-button" aria-label="Dismiss" onClick={dismiss}>
        <CloseIcon />
      </button>
    </div>
  );
}

const SAME_BREATH_MS = 5 * 60_000;

function continues(previous: PageMessage | undefined, { body, at }: PageMessage): boolean {
  if (previous === undefined || body.tone !== "plain" || body.by !== "deckhand" || isQuestion(body)) return false;
  return previous.body.by === body.by && previous.body.tone === "plain" && at - previous.at < SAME_BREATH_MS;
}

function EmptyPane({ state, controller }: Pick<ThreadViewProps, "state" | "controller">): JSX.Element {
  if (state.openId === null && mayAct(state)) return <EmptyThread controller={controller} />;
  if (state.openId === null) return <p class="hint centred">See what is running under Sessions.</p>;
  if (!state.loaded.has(state.openId)) return <p class="hint centred">Loading…</p>;
  return <p class="hint centred">This thread does not exist. Start a new one.</p>;
}

const CONNECTION_WORDS = {
  connecting: "Connecting…",
  lost: "Connection lost. Reconnecting; what you write is kept and sent when it is back.",
  blocked:
    "Deckhand answers, but the live connection is refused. Reconnecting; a proxy in between must allow WebSockets.",
  locked: "Deckhand's key has changed. Open the address that it printed when it started.",
} as const;

/** Shows the state of the connection unless it is open. */
export function ConnectionBar({ state: { connection } }: Pick<ThreadViewProps, "state">): JSX.Element {
  return (
    <div class={`connection ${connection}`} role="status">
      {connection === "open" ? "" : CONNECTION_WORDS[connection]}
    </div>
  );
}

/**
 * Keeps the newest message in view while the reader is at the end; after scrolling up, the list stays in place until
 * the reader sends something.
 */
function useStickToEnd(newest: string | null, sent: string | undefined): { readonly current: HTMLDivElement | null } {
  const list = useRef<HTMLDivElement>(null);
  const [sticky] = useState({ atEnd: true, top: 0 });
  useEffect(() => {
    const element = list.current;
    if (element === null || newest === null) return undefined;
    const onScroll = (): void => {
      const isNear = element.scrollHeight - element.scrollTop - element.clientHeight < 48;
      // Something that opens below, such as the palette, hides the end without anybody having scrolled up.
      if (isNear || element.scrollTop < sticky.top) sticky.atEnd = isNear;
      sticky.top = element.scrollTop;
    };
    sticky.top = element.scrollTop;
    element.addEventListener("scroll", onScroll, { passive: true });
    // Images and edits change the height after the fact.
    const observer = new ResizeObserver(() => {
      if (sticky.atEnd) element.scrollTop = element.scrollHeight;
    });
    for (const one of [element, ...element.children]) observer.observe(one);
    return () => {
      element.removeEventListener("scroll", onScroll);
      observer.disconnect();
    };
  }, [sticky, newest]);
  useLayoutEffect(() => {
    if (sent !== undefined) sticky.atEnd = true;
  }, [sticky, sent]);
  useLayoutEffect(() => {
    if (newest !== null && sticky.atEnd && list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  });
  return list;
}

/** Keeps the reading position when earlier messages load above. Returns the function to call before loading them. */
function useKeptPlace(list: { readonly current: HTMLElement | null }, oldest: string | undefined): () => void {
  const place = useRef<{ readonly message: Element; readonly top: number } | null>(null);
  useLayoutEffect(() => {
    const kept = place.current;
    place.current = null;
    if (kept === null || list.current === null || !kept.message.isConnected) return;
    list.current.scrollTop += kept.message.getBoundingClientRect().top - kept.top;
    // The button that had the focus disappears with the last earlier messages.
    if (document.activeElement !== document.body) return;
    kept.message.querySelector<HTMLElement>(".message-body")?.focus({ preventScroll: true });
  }, [oldest]);
  return () => {
    const message = list.current?.querySelector(".message");
    if (message != null) place.current = { message, top: message.getBoundingClientRect().top };
  };
}
