import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { ChangeDialog } from "./change-dialog.tsx";
import type { Editing } from "./use-editing.ts";

interface TakeBackProps {
  readonly title: string;
  readonly words: string;
  readonly editing: Editing;
  /** The text in effect afterwards. */
  readonly after: string;
  readonly done: () => void;
  readonly children?: ComponentChildren;
}

/** Gives up the version set on the page. */
export function TakeBack({ title, words, editing, after, done, children }: TakeBackProps): JSX.Element {
  const [isAsking, setAsking] = useState(false);
  const take = async (): Promise<void> => {
    if ((await editing.takeBack(after)) === null) return;
    setAsking(false);
    done();
  };
  return (
    <div class="buttons">
      <button type="button" class="danger" aria-haspopup="dialog" onClick={() => setAsking(true)}>
        {words}
      </button>
      {isAsking && (
        <ChangeDialog
          title={title}
          before={editing.before}
          after={after}
          words={words}
          isDanger
          isSending={editing.isBusy}
          problem={
            editing.theirs === null
              ? editing.problem
              : "Somebody has changed it in the meantime. Close this and look at their version."
          }
          goAhead={() => {
            take().catch(() => {});
          }}
          close={() => setAsking(false)}
        >
          {children}
        </ChangeDialog>
      )}
    </div>
  );
}
