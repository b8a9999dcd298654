import type { JSX } from "preact";
import type { BusyState } from "../../../../core/protocol/session-summary.ts";
import { LISTED_THREADS } from "../../../render/local/frame-limits.ts";
import type { PageThread } from "../../../render/local/wire.ts";
import { Link } from "../link.tsx";
import { SectionLinks } from "../section/section-links.tsx";
import { SESSIONS } from "../state/address.ts";
import { type Controller, commandAction, isPending } from "../state/controller.ts";
import { mayAct, type PageState, whoMustAct, type You } from "../state/state.ts";
import { AnchorIcon, ListIcon, PlusIcon } from "../text/icons.tsx";
import { Label } from "../text/markdown-text.tsx";
import { ago } from "../text/relative-time.ts";
import { Jobs } from "./jobs.tsx";
import { Panels } from "./panels.tsx";

interface SidebarProps {
  /** Whether the sidebar fills the screen, and so is the page's main landmark. */
  readonly isAlone: boolean;
  readonly state: PageState;
  readonly now: number;
  readonly controller: Controller;
  readonly open: (threadId: string | null) => void;
  readonly openJob: (jobId: string) => void;
  readonly openSection: (name: string) => void;
  readonly help: () => void;
}

export function Sidebar(props: SidebarProps): JSX.Element {
  const { isAlone, state, now, controller, open, openJob, openSection, help } = props;
  const mayWrite = mayAct(state);
  return (
    <div class="column" role={isAlone ? "main" : undefined}>
      <nav class="sidebar" aria-label="Threads and jobs">
        <div class="brand">
          <span class="brand-mark">
            <AnchorIcon />
          </span>
          {isAlone ? (
            <h1 class="brand-name" tabIndex={-1}>
              Deckhand
            </h1>
          ) : (
            <span class="brand-name">Deckhand</span>
          )}
        </div>
        {mayWrite && (
          <button
            type="button"
            class="new-thread"
            onClick={() => open(null)}
            aria-current={state.openId === null && state.section === null}
          >
            <PlusIcon /> New thread
          </button>
        )}
        <Link
          href={`#/${SESSIONS}`}
          className="team-link"
          isOpen={state.section?.name === SESSIONS}
          open={() => openSection(SESSIONS)}
        >
          <ListIcon /> Sessions
        </Link>
        <Waiting count={state.overview?.waiting ?? 0} open={() => openSection("overview")} />
        <SectionLinks state={state} open={openSection} />
        <Threads state={state} now={now} open={open} />
        <Jobs
          jobs={state.overview?.jobs ?? null}
          openJob={state.openJob}
          now={now}
          open={openJob}
          add={mayWrite ? () => controller.command("jobs", "add") : null}
          isAdding={isPending(state, "", commandAction("jobs", "add"))}
        />
        <Panels panels={state.overview?.panels ?? []} />
        <button type="button" class="quiet help-link" onClick={help}>
          Keyboard shortcuts <kbd>?</kbd>
        </button>
        {state.you !== null && <SignedIn you={state.you} signOut={controller.signOut} />}
      </nav>
    </div>
  );
}

function Threads({ state, now, open }: Pick<SidebarProps, "state" | "now" | "open">): JSX.Element {
  const busy = new Map(Object.entries(state.overview?.busy ?? {}));
  if (state.threads.length === 0) return <p class="hint">Your threads appear here. They are kept across restarts.</p>;
  return (
    <ul class="threads" aria-label="Threads">
      {state.threads.map((thread) => (
        <li key={thread.id}>
          <ThreadLink
            thread={thread}
            isOpen={thread.id === state.openId}
            isUnread={state.unread.has(thread.id)}
            busy={busy.get(thread.id) ?? null}
            whom={whoMustAct(state)}
            now={now}
            open={open}
          />
        </li>
      ))}
      {state.threads.length >= LISTED_THREADS && <li class="hint">Older ones are under Sessions.</li>}
    </ul>
  );
}

/** Links to the waiting cards of all platforms, since a card's message on another platform may be deleted. */
function Waiting({ count, open }: { readonly count: number; readonly open: () => void }): JSX.Element | null {
  if (count === 0) return null;
  return (
    <Link href="#/overview" open={open}>
      <span class="thread-when waiting">
        <Label text={`⏸ ${count} waiting for people`} />
      </span>
    </Link>
  );
}

function SignedIn({ you, signOut }: { readonly you: You; readonly signOut: () => void }): JSX.Element {
  return (
    <p class="you">
      <span>
        {you.name} <span class="hint">{you.role}</span>
      </span>
      <button type="button" class="quiet" onClick={signOut}>
        Sign out
      </button>
    </p>
  );
}

interface ThreadLinkProps {
  readonly thread: PageThread;
  readonly isOpen: boolean;
  readonly isUnread: boolean;
  /** Null if nothing runs in the thread. */
  readonly busy: BusyState | null;
  /** Whom a waiting run waits for. */
  readonly whom: string;
  readonly now: number;
  readonly open: (threadId: string) => void;
}

function ThreadLink({ thread, isOpen, isUnread, busy, whom, now, open }: ThreadLinkProps): JSX.Element {
  const busyWords = busy === "working" ? "⏳ working" : `⏸ waiting for ${whom}`;
  return (
    <Link href={`#${thread.id}`} className={isUnread ? "unread" : ""} isOpen={isOpen} open={() => open(thread.id)}>
      <span class="thread-title">{thread.title}</span>
      {isUnread && <span class="hidden">, new messages</span>}
      <span class={`thread-when ${busy ?? ""}`}>
        <Label text={busy === null ? ago(thread.updatedAt, now) : busyWords} />
      </span>
    </Link>
  );
}
