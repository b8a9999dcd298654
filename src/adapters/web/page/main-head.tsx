import type { ComponentChildren, JSX } from "preact";
import type { Column } from "./column.ts";
import { BackIcon } from "./text/icons.tsx";

interface MainHeadProps {
  readonly title: string;
  readonly show: (column: Column) => void;
  /** Whether something waits for a person behind the button. */
  readonly isWaiting?: boolean;
  readonly children?: ComponentChildren;
}

/** The head of the page's main part; on a narrow screen it leads to the list of all parts. */
export function MainHead({ title, show, isWaiting = false, children }: MainHeadProps): JSX.Element {
  return (
    <header class="thread-head">
      <button
        type="button"
        class="icon-button narrow-only"
        aria-label={isWaiting ? "Threads and jobs; another thread is waiting" : "Threads and jobs"}
        onClick={() => show("threads")}
      >
        <BackIcon />
        {isWaiting && <span class="dot" />}
      </button>
      <h1 id="main-title" tabIndex={-1}>
        {title}
      </h1>
      {children}
    </header>
  );
}
