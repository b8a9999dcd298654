import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { TITLE_CHARS } from "../../render/local/frame-limits.ts";
import { Announcer } from "./announcer.tsx";
import type { Column } from "./column.ts";
import { COMPOSER_ID } from "./composer/composer.tsx";
import { Details } from "./details/details.tsx";
import { FormDialog } from "./form-dialog.tsx";
import { SectionView } from "./section/section-view.tsx";
import { SECTIONS } from "./section/sections.ts";
import { TeamView } from "./sessions/team-view.tsx";
import { ShortcutsDialog, useShortcuts } from "./shortcuts.tsx";
import { Sidebar } from "./sidebar/sidebar.tsx";
import { addressOf, SESSIONS } from "./state/address.ts";
import type { Controller } from "./state/controller.ts";
import { newestStop } from "./state/run-details.ts";
import { messagesOf, type PageState } from "./state/state.ts";
import { plainText } from "./text/markdown.ts";
import { ThreadView, type ThreadViewProps } from "./thread/thread-view.tsx";
import { useMedia } from "./use-media.ts";
import { useNow } from "./use-now.ts";

/** Screens so narrow that the page shows one column at a time. Must match style/screens.css. */
const NARROW = "(max-width: 720px)";
/** A minute is the finest unit of time that the page shows. In milliseconds. */
const FINEST_MS = 60_000;

export function App({ controller }: { readonly controller: Controller }): JSX.Element {
  const state = useController(controller);
  const now = useNow(FINEST_MS);
  const [column, setColumn] = useState<Column>("thread");
  const [help, setHelp] = useState(false);
  const isAlone = useMedia(NARROW) && column === "threads";
  const title = titleOf(state);
  const isRunning = newestStop(messagesOf(state, state.openId)) !== null;
  useShortcuts({ controller, setColumn, showHelp: () => setHelp(true) });
  useKeptFocus(addressOf(state), column);
  useEffect(() => {
    document.title = `${isRunning ? "⏳ " : ""}${title === undefined ? "" : `${title} · `}Deckhand`;
  }, [title, isRunning]);
  const showing =
    <A extends unknown[]>(shown: Column, open: (...what: A) => void) =>
    (...what: A): void => {
      open(...what);
      setColumn(shown);
    };
  const { reply, section } = state;
  useEffect(() => {
    if (reply !== null) setColumn("details");
  }, [reply]);
  // However one has come to another part of a section, it is what a narrow screen shows.
  useEffect(() => {
    if (section !== null) setColumn("thread");
  }, [section?.name, section?.rest]);

  return (
    <div class="app" data-column={column}>
      <Sidebar
        isAlone={isAlone}
        state={state}
        now={now}
        controller={controller}
        openJob={showing("details", controller.openJob)}
        open={showing("thread", controller.openThread)}
        openSection={showing("thread", controller.openSection)}
        help={() => setHelp(true)}
      />
      <Shown state={state} controller={controller} title={shownTitle(state)} now={now} show={setColumn} />
      <Announcer state={state} />
      {state.form !== null && <FormDialog open={state.form} controller={controller} />}
      {help && <ShortcutsDialog close={() => setHelp(false)} />}
    </div>
  );
}

function titleOf({ section, threads, openId }: PageState): string | undefined {
  if (section === null) return threads.find((thread) => thread.id === openId)?.title;
  if (section.name === SESSIONS) return "Sessions";
  return SECTIONS.find(({ name }) => name === section.name)?.title;
}

/** Returns the title; a thread too old to be listed is named by its first loaded message. */
function shownTitle(state: PageState): string {
  const [first] = messagesOf(state, state.openId);
  const { markdown = "", files = [] } = first?.body ?? {};
  return titleOf(state) ?? (plainText(markdown).slice(0, TITLE_CHARS) || (files[0]?.name ?? "New thread"));
}

/** What the address names: sessions, a section, or a thread. */
function Shown(props: ThreadViewProps): JSX.Element {
  const { section } = props.state;
  if (section === null) return <Thread {...props} />;
  if (section.name === SESSIONS) return <TeamView {...props} rest={section.rest} />;
  return <SectionView {...props} open={section} />;
}

/** A thread of the web page, with the details beside it. */
function Thread(props: ThreadViewProps): JSX.Element {
  const { state, controller, show } = props;
  return (
    <>
      <ThreadView key={state.openId ?? "new"} {...props} />
      <Details state={state} controller={controller} back={() => show("thread")} toJobs={() => show("threads")} />
    </>
  );
}

/**
 * Restores the focus after a change of address or column that removed or hid the focused element: to the composer if it
 * is shown, or else to the title. The focus would otherwise fall back to the start of the page.
 */
function useKeptFocus(address: string, column: Column): void {
  const before = useRef(address);
  // A layout effect, because a hidden element has the focus only until the next frame.
  useLayoutEffect(() => {
    const isMoved = before.current !== address;
    before.current = address;
    const { activeElement, body } = document;
    const isLost = activeElement === body ? isMoved : activeElement?.checkVisibility() === false;
    if (!isLost) return;
    const titles = document.querySelectorAll<HTMLElement>("h1, .details-head h2");
    // On a touch screen, focusing the composer would open the keyboard.
    const composer = matchMedia("(pointer: coarse)").matches ? null : document.getElementById(COMPOSER_ID);
    [composer, ...titles].find((one) => one?.checkVisibility() === true)?.focus({ preventScroll: true });
  }, [address, column]);
}

function useController(controller: Controller): ReturnType<Controller["state"]> {
  const [, update] = useReducer((count: number) => count + 1, 0);
  // A layout effect, because changes between the first paint and an ordinary effect would be missed.
  useLayoutEffect(() => controller.subscribe(() => update(undefined)), [controller]);
  return controller.state();
}
