import type { ComponentChildren, JSX } from "preact";
import { Dialog } from "../dialog.tsx";
import { diffText } from "../text/diff-text.ts";
import { Markdown } from "../text/markdown-text.tsx";

/** Compares two texts, ignoring whether they end with a line feed. */
export function changedLines(before: string, after: string): string {
  const [from, to] = [before, after].map((text) => (text === "" || text.endsWith("\n") ? text : `${text}\n`));
  return diffText(from ?? "", to ?? "");
}

interface ChangeDialogProps extends Omit<Parameters<typeof Dialog>[0], "className" | "children"> {
  readonly before: string;
  readonly after: string;
  readonly children?: ComponentChildren;
}

/** Shows the changed lines before the change is made. */
export function ChangeDialog({ before, after, children, ...asked }: ChangeDialogProps): JSX.Element {
  return (
    <Dialog {...asked} className="change">
      {children}
      {before === after ? (
        <p class="hint">Nothing would change.</p>
      ) : (
        // Long lines scroll by themselves, also by keyboard.
        <section class="change-lines" tabIndex={0} aria-label="Changed lines">
          <Markdown text={changedLines(before, after)} />
        </section>
      )}
    </Dialog>
  );
}
