import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Column } from "./column.ts";
import { COMPOSER_ID } from "./composer/composer.tsx";
import type { Controller } from "./state/controller.ts";
import { isQuestion } from "./state/run-details.ts";
import { messagesOf, type PageState } from "./state/state.ts";
import { CloseIcon } from "./text/icons.tsx";
import { bodyId } from "./thread/message-item.tsx";

const SHORTCUTS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["/"], "Write a message; press it again for the commands"],
  [["Enter"], "Send"],
  [["Ctrl", "Enter"], "Send, even where Enter starts a new line"],
  [["Shift", "Enter"], "New line"],
  [["w"], "Go to what is waiting for you"],
  [["Esc"], "Stop the run"],
  [["?"], "Show these shortcuts"],
];

interface ShortcutOptions {
  readonly controller: Controller;
  readonly setColumn: (column: Column) => void;
  readonly showHelp: () => void;
}

export function useShortcuts({ controller, setColumn, showHelp }: ShortcutOptions): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
      // Escape closes an open dialog by itself and must not also stop the run.
      if (document.querySelector("dialog[open]") !== null) return;
      if (event.key === "Escape") {
        if (controller.stop()) event.preventDefault();
        return;
      }
      if (isWriting(event.target)) return;
      if (event.key === "/") {
        event.preventDefault();
        setColumn("thread");
        focus(COMPOSER_ID);
      } else if (event.key === "w") {
        setColumn("thread");
        if (focusQuestion(controller.state())) event.preventDefault();
      } else if (event.key === "?") {
        event.preventDefault();
        showHelp();
      }
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [controller]);
}

/** Focuses the oldest waiting question of the open thread; returns false if there is none. */
function focusQuestion(state: PageState): boolean {
  const question = messagesOf(state, state.openId).find(({ body }) => isQuestion(body));
  if (question === undefined) return false;
  focusMessage(question.id);
  return true;
}

export function focusMessage(messageId: string): void {
  focus(bodyId(messageId));
}

/** Focuses an element, also one whose column is only about to be shown on a narrow screen. */
function focus(id: string): void {
  const now = (): void => document.getElementById(id)?.focus();
  now();
  // A second focus would take back where a Tab has led meanwhile.
  if (document.activeElement?.id !== id) requestAnimationFrame(now);
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

export function ShortcutsDialog({ close }: { readonly close: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="shortcuts" aria-labelledby="shortcuts-title" onClose={close}>
      <header>
        <h2 id="shortcuts-title">Keyboard shortcuts</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </header>
      <dl>
        {SHORTCUTS.map(([keys, does]) => (
          <div key={does}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
