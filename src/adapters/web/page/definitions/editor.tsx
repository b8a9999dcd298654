import type { JSX, RefObject } from "preact";
import { useRef, useState } from "preact/hooks";
import { figure } from "../../../../core/text/dollars.ts";
import type { Theirs } from "../../sessions/team-definitions.ts";
import { Problem } from "../problem.tsx";
import { Markdown } from "../text/markdown-text.tsx";
import { ChangeDialog, changedLines } from "./change-dialog.tsx";
import { Preview } from "./preview.tsx";
import type { Editing } from "./use-editing.ts";

interface EditorProps {
  readonly editing: Editing;
  readonly label: string;
  /** Name of what is saved, for the dialog's title. */
  readonly what: string;
  readonly saved: (number: number) => void;
  /** A reason besides the text's own problems why it cannot be saved. */
  readonly missing?: string | null;
}

/** The source beside its preview, with the problems found in it. */
export function Editor(props: EditorProps): JSX.Element {
  const { editing, label } = props;
  const source = useRef<HTMLTextAreaElement>(null);
  return (
    <div class="definition-editor">
      {editing.isFromDraft && (
        <p class="note" role="status">
          This is your unsaved text from an earlier visit.{" "}
          <button type="button" onClick={editing.discard}>
            Discard
          </button>
        </p>
      )}
      {editing.theirs !== null && <Conflict theirs={editing.theirs} editing={editing} />}
      <div class="definition-panes">
        <Source editing={editing} label={label} source={source} />
        <Preview text={editing.text} />
      </div>
      <div id="definition-problems" role="status">
        <Problems editing={editing} goTo={(at) => select(source.current, at)} />
      </div>
      <Problem text={editing.problem} />
      <Saving {...props} />
    </div>
  );
}

interface SourceProps extends Pick<EditorProps, "editing" | "label"> {
  readonly source: RefObject<HTMLTextAreaElement | null>;
}

function Source({ editing, label, source }: SourceProps): JSX.Element {
  const [line, setLine] = useState(1);
  const { text, checked } = editing;
  return (
    <div class="definition-source">
      <label for="definition-text">{label}</label>
      <textarea
        id="definition-text"
        ref={source}
        spellcheck={false}
        value={text}
        aria-invalid={checked !== null && checked.problems.length > 0}
        aria-describedby="definition-problems"
        onInput={({ currentTarget }) => editing.write(currentTarget.value)}
        onSelect={({ currentTarget }) => setLine(lineAt(currentTarget.value, currentTarget.selectionStart))}
      />
      <p class="hint">
        Line {line}
        {checked !== null && ` · ${figure(checked.bytes)} bytes`}
      </p>
    </div>
  );
}

function Saving({ editing, what, saved, missing = null }: EditorProps): JSX.Element {
  const [isReviewing, setReviewing] = useState(false);
  const { text, checked, theirs, isChanged } = editing;
  const isGood = checked !== null && checked.problems.length === 0;
  const canSave = isChanged && isGood && missing === null && theirs === null;
  const save = async (): Promise<void> => {
    const number = await editing.save();
    setReviewing(false);
    if (number !== null) saved(number);
  };
  return (
    <>
      <div class="buttons">
        <button
          type="button"
          class="primary"
          aria-disabled={!canSave}
          aria-haspopup="dialog"
          onClick={() => setReviewing(canSave)}
        >
          Review and save
        </button>
        {isChanged && (
          <button type="button" onClick={editing.discard}>
            Discard changes
          </button>
        )}
      </div>
      {missing !== null && <p class="hint">{missing}</p>}
      {isReviewing && (
        <ChangeDialog
          title={`Save ${what}?`}
          before={editing.before}
          after={text}
          words="Save"
          isSending={editing.isBusy}
          goAhead={() => {
            save().catch(() => {});
          }}
          close={() => setReviewing(false)}
        />
      )}
    </>
  );
}

interface ProblemsProps {
  readonly editing: Editing;
  readonly goTo: (line: number) => void;
}

function Problems({ editing: { checked }, goTo }: ProblemsProps): JSX.Element | null {
  if (checked === null) return null;
  const { problems, notes } = checked;
  return (
    <>
      {problems.length > 0 && (
        <ul class="definition-problems">
          {problems.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              <button type="button" onClick={() => goTo(line)}>
                Line {line}
              </button>{" "}
              {message}
            </li>
          ))}
        </ul>
      )}
      {notes.length > 0 && <p class="hint">Ignored, because it means nothing here: {notes.join("; ")}</p>}
    </>
  );
}

/** Shows both versions of a conflict until the person has chosen one. */
function Conflict({ theirs, editing }: { readonly theirs: Theirs; readonly editing: Editing }): JSX.Element {
  const { content, number, by } = theirs;
  const deed = content === null ? "removed it" : "saved another version";
  return (
    <section class="conflict" role="alert">
      <p>
        {by} {deed} while you were editing (revision {number}). Yours is not saved yet. Both versions are kept; this is
        what yours would change:
      </p>
      <Markdown text={changedLines(content ?? "", editing.text)} />
      <div class="buttons">
        <button type="button" onClick={editing.keepMine}>
          Keep mine
        </button>
        <button
          type="button"
          onClick={() => {
            editing.keepMine();
            editing.discard();
          }}
        >
          Use theirs
        </button>
      </div>
    </section>
  );
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split("\n").length;
}

/** Moves the cursor to a line and scrolls it into view. */
function select(source: HTMLTextAreaElement | null, line: number): void {
  if (source === null) return;
  const lines = source.value.split("\n");
  const from = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  source.focus();
  source.setSelectionRange(from, from + (lines[line - 1] ?? "").length);
}
