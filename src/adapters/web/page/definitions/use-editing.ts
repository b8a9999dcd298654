import { useState } from "preact/hooks";
import type { Checked, Kind, Outcome, Theirs } from "../../sessions/team-definitions.ts";
import { post, problemOf } from "../section/request.ts";
import { useCheck } from "../section/use-check.ts";
import { readDraft, storeDraft } from "../state/local-storage.ts";
import type { PageState } from "../state/state.ts";

export interface Edited {
  readonly kind: Kind;
  readonly name: string;
  /** The text in effect. */
  readonly text: string;
  /** The number of its newest revision; 0 for none. */
  readonly number: number;
  /** True if no definition of that name may exist yet. */
  readonly isNew: boolean;
  /** Storage key of the draft. */
  readonly draft: string;
}

export interface Editing {
  readonly text: string;
  /** The text to compare with: the latest one in effect that this page knows. */
  readonly before: string;
  readonly isChanged: boolean;
  /** Whether the unsaved text is from an earlier visit. */
  readonly isFromDraft: boolean;
  /** The server's check of the text; null until it arrives, and while the text is empty and unchanged. */
  readonly checked: Checked | null;
  /** The version that somebody else saved meanwhile; null for none. */
  readonly theirs: Theirs | null;
  /** Why the last change was not saved; null if it was not refused. */
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly write: (text: string) => void;
  readonly discard: () => void;
  /** Accepts that saving this text will replace the version that somebody else saved. */
  readonly keepMine: () => void;
  /** Resolves with the new number, or null if it was not saved, as `problem` or `theirs` explains. */
  readonly save: () => Promise<number | null>;
  /** Gives up the page's version; `became` is the text in effect afterwards. */
  readonly takeBack: (became: string) => Promise<number | null>;
}

interface Written {
  readonly text: string;
  /** The number of the revision that the author has seen. */
  readonly after: number;
}

/** Edits a definition. The text is checked while typed, and kept in the browser until it is saved or discarded. */
export function useEditing(edited: Edited, state: PageState): Editing {
  const [written, setWritten] = useState<Written | null>(() => draftOf(edited));
  const [isFromDraft, setFromDraft] = useState(written !== null);
  const [seen, setSeen] = useState<{ readonly text: string; readonly number: number } | null>(null);
  const [theirs, setTheirs] = useState<Theirs | null>(null);
  const sending = useSending(edited.kind, state);
  const base = seen !== null && seen.number > edited.number ? seen : edited;
  const text = written?.text ?? base.text;
  const body = { kind: edited.kind, name: edited.name, text };
  // A failed check is not shown, because saving reports the same problem.
  const { found: checked } = useCheck<Checked>({ path: "/features/definitions/check", body }, state);
  const put = (next: Written | null): void => {
    const kept = next === null || next.text === base.text ? null : next;
    setWritten(kept);
    storeDraft(edited.draft, kept === null ? "" : JSON.stringify(kept));
  };
  const change = async (path: string, body: object, became: string): Promise<number | null> => {
    const outcome = await sending.send(path, body);
    if (outcome?.type === "conflict") setTheirs(outcome.newest ?? { number: 0, content: null, by: "" });
    if (outcome?.type !== "saved") return null;
    setSeen({ text: became, number: outcome.number });
    forget();
    return outcome.number;
  };
  const forget = (): void => {
    put(null);
    setFromDraft(false);
    setTheirs(null);
    sending.clear();
  };
  const after = written?.after ?? base.number;
  const { name, isNew } = edited;
  const isChanged = isNew || written !== null;
  return {
    text,
    before: base.text,
    isChanged,
    isFromDraft,
    checked: text === "" && !isChanged ? null : checked,
    theirs,
    problem: sending.problem,
    isBusy: sending.isBusy,
    write: (next) => {
      sending.clear();
      put({ text: next, after });
    },
    discard: forget,
    keepMine: () => {
      if (theirs === null) return;
      setSeen({ text: theirs.content ?? "", number: theirs.number });
      put({ text, after: theirs.number });
      setTheirs(null);
    },
    save: () => change("save", { name, text, after, isNew }, text),
    takeBack: (became) => change("take-back", { name, after: base.number }, became),
  };
}

/** Sends changes one at a time, and reports why the last one failed. */
function useSending(kind: Kind, state: PageState) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const send = async (path: string, body: object): Promise<Outcome | null> => {
    if (isBusy) return null;
    setBusy(true);
    setProblem(null);
    try {
      const outcome = await post<Outcome>(`/features/definitions/${path}`, { ...body, kind }, state);
      if (outcome.type === "refused") setProblem(outcome.why);
      if (outcome.type === "invalid") setProblem("The text has problems; they are listed below it.");
      return outcome;
    } catch (error) {
      setProblem(problemOf(error));
      return null;
    } finally {
      setBusy(false);
    }
  };
  return { problem, isBusy, send, clear: () => setProblem(null) };
}

function draftOf({ draft, text }: Edited): Written | null {
  try {
    const kept: unknown = JSON.parse(readDraft(draft));
    if (typeof kept !== "object" || kept === null || !("text" in kept) || !("after" in kept)) return null;
    if (typeof kept.text !== "string" || typeof kept.after !== "number" || kept.text === text) return null;
    return { text: kept.text, after: kept.after };
  } catch {
    return null;
  }
}

/** Whether there is unsaved text. */
export function hasDraft(draft: string): boolean {
  return readDraft(draft) !== "";
}
