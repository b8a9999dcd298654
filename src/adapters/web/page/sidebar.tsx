import type { JSX } from "preact";
import type { PageMessage, PageThread } from "../wire.ts";
import { AnchorIcon, PlusIcon } from "./icons.tsx";
import { type RunDetails, runDetails } from "./run-details.ts";
import type { PageState } from "./state.ts";
import { ago } from "./when.ts";

interface SidebarProps {
  readonly state: PageState;
  readonly now: number;
  readonly open: (threadId: string | null) => void;
  readonly help: () => void;
}

export function Sidebar({ state, now, open, help }: SidebarProps): JSX.Element {
  const known = Map.groupBy(state.messages.values(), (message) => message.threadId);
  return (
    <nav class="sidebar" aria-label="Threads">
      <div class="brand">
        <span class="brand-mark">
          <AnchorIcon />
        </span>
        <span class="brand-name">Deckhand</span>
      </div>
      <button type="button" class="new-thread" onClick={() => open(null)} aria-current={state.openId === null}>
        <PlusIcon /> New thread
      </button>
      {state.threads.length === 0 ? (
        <p class="hint">Your threads are kept here, also over restarts.</p>
      ) : (
        <ul class="threads">
          {state.threads.map((thread) => (
            <li key={thread.id}>
              <ThreadLink
                thread={thread}
                isOpen={thread.id === state.openId}
                isUnread={state.unread.has(thread.id)}
                run={runState(known.get(thread.id) ?? [])}
                now={now}
                open={open}
              />
            </li>
          ))}
        </ul>
      )}
      <button type="button" class="quiet help-link" onClick={help}>
        Keyboard shortcuts <kbd>?</kbd>
      </button>
    </nav>
  );
}

const RUN_WORDS: Readonly<Partial<Record<RunDetails["state"], string>>> = {
  working: "working",
  waiting: "waits for you",
};

function runState(messages: readonly PageMessage[]): RunDetails["state"] {
  const inOrder = messages.toSorted((a, b) => a.position - b.position);
  return runDetails(inOrder, new Map()).state;
}

interface ThreadLinkProps {
  readonly thread: PageThread;
  readonly isOpen: boolean;
  readonly isUnread: boolean;
  readonly run: RunDetails["state"];
  readonly now: number;
  readonly open: (threadId: string) => void;
}

function ThreadLink({ thread, isOpen, isUnread, run, now, open }: ThreadLinkProps): JSX.Element {
  const words = RUN_WORDS[run];
  return (
    <a
      href={`#${thread.id}`}
      class={isUnread ? "thread-link unread" : "thread-link"}
      aria-current={isOpen ? "page" : undefined}
      onClick={(event) => {
        event.preventDefault();
        open(thread.id);
      }}
    >
      <span class="thread-title">{thread.title}</span>
      {isUnread && <span class="hidden">, new messages</span>}
      <span class={words === undefined ? "thread-when" : `thread-when ${run}`}>
        {words ?? ago(thread.updatedAt, now)}
      </span>
    </a>
  );
}
