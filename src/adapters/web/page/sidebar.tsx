import type { JSX } from "preact";
import type { PageThread } from "../wire.ts";
import { AnchorIcon, PlusIcon } from "./icons.tsx";
import { messagesOf, newestStop, type PageState } from "./state.ts";
import { ago } from "./when.ts";

interface SidebarProps {
  readonly state: PageState;
  readonly now: number;
  readonly open: (threadId: string | null) => void;
  readonly help: () => void;
}

export function Sidebar({ state, now, open, help }: SidebarProps): JSX.Element {
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
              <ThreadLink thread={thread} state={state} now={now} open={open} />
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

function ThreadLink({
  thread,
  state,
  now,
  open,
}: { readonly thread: PageThread } & Pick<SidebarProps, "state" | "now" | "open">): JSX.Element {
  const isRunning = newestStop(messagesOf(state, thread.id)) !== null;
  const isUnread = state.unread.has(thread.id);
  return (
    <a
      href={`#${thread.id}`}
      class={isUnread ? "thread-link unread" : "thread-link"}
      aria-current={thread.id === state.openId ? "page" : undefined}
      onClick={(event) => {
        event.preventDefault();
        open(thread.id);
      }}
    >
      <span class="thread-title">{thread.title}</span>
      <span class="thread-when">
        {isRunning ? <span class="thread-state">working</span> : ago(thread.updatedAt, now)}
      </span>
      {isUnread && <span class="hidden">, new messages</span>}
    </a>
  );
}
