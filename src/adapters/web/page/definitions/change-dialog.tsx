import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { diffText } from "../text/diff-text.ts";
import { CloseIcon } from "../text/icons.tsx";
import { Markdown } from "../text/markdown-text.tsx";

/** Whether a text ends with a line's end is nothing to show. */
export function changedLines(before: string, after: string): string {
  const [from, to] = [before, after].map((text) => (text === "" || text.endsWith("\n") ? text : `${text}\n`));
  return diffText(from ?? "", to ?? "");
}

interface ChangeDialogProps {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  /** What the button that goes ahead is called. */
  readonly words: string;
  readonly isDanger?: boolean;
  readonly isBusy: boolean;
  readonly problem: string | null;
  readonly goAhead: () => void;
  readonly close: () => void;
  readonly children?: ComponentChildren;
}

/** What becomes another, line by line, before it does. */
export function ChangeDialog(props: ChangeDialogProps): JSX.Element {
  const { title, before, after, words, isDanger = false, isBusy, problem, goAhead, close, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="form change" aria-labelledby="change-title" onClose={close}>
      <header>
        <h2 id="change-title">{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
          <CloseIcon />
        </button>
      </header>
      {children}
      {before === after ? (
        <p class="hint">The text stays as it is.</p>
      ) : (
        // Long lines scroll by themselves, also by keyboard.
        <section class="change-lines" tabIndex={0} aria-label="Changed lines">
          <Markdown text={changedLines(before, after)} />
        </section>
      )}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <div class="buttons">
        <button
          type="button"
          class={isDanger ? "danger" : "primary"}
          aria-disabled={isBusy}
          aria-busy={isBusy}
          onClick={goAhead}
        >
          {words}
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}
