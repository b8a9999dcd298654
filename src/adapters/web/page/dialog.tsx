import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Problem } from "./problem.tsx";
import { CloseIcon } from "./text/icons.tsx";

interface DialogProps {
  readonly title: string;
  /** CSS classes added to the dialog's own. */
  readonly className?: string;
  /** Label of the confirming button. */
  readonly words: string;
  readonly isDanger?: boolean;
  /** True while the request is being sent, when nothing else can be started. */
  readonly isSending: boolean;
  readonly isReady?: boolean;
  /** Why the last attempt failed; null if it did not. */
  readonly problem?: string | null;
  readonly cancel?: string;
  /** Stays in sight beside its buttons. */
  readonly note?: ComponentChildren;
  readonly goAhead: (form: HTMLFormElement) => void;
  /** Called on Escape, by the buttons, or once the action is done. */
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog that asks for input or confirmation. */
export function Dialog(props: DialogProps): JSX.Element {
  const { title, className = "", words, isDanger = false, isSending, isReady = true, problem = null } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const shut = (): void => dialog.current?.close();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => requestAnimationFrame(() => refocus(opener));
  }, []);
  return (
    <dialog ref={dialog} class={`form ${className}`} aria-labelledby="dialog-title" onClose={props.close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isSending && isReady) props.goAhead(event.currentTarget);
        }}
      >
        <header>
          <h2 id="dialog-title">{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={shut}>
            <CloseIcon />
          </button>
        </header>
        {props.children}
        <Problem text={problem} />
        <div class="buttons">
          {props.note}
          <button
            type="submit"
            class={isDanger ? "danger" : "primary"}
            aria-disabled={isSending || !isReady}
            aria-busy={isSending}
          >
            {words}
          </button>
          <button type="button" onClick={shut}>
            {props.cancel ?? "Cancel"}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** Returns the focus to the opener if a dialog was removed from the page, a case in which the browser does not. */
function refocus(opener: Element | null): void {
  if (document.activeElement !== document.body) return;
  const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
  (isThere ? opener : document.querySelector<HTMLElement>("main h1"))?.focus({ preventScroll: true });
}
