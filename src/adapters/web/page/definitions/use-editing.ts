import { useState } from "preact/hooks";
import type { Checked, Kind, Outcome, Theirs } from "../../sessions/team-definitions.ts";
import { post, problemOf } from "../section/request.ts";
import { useCheck } from "../section/use-check.ts";
import { keepDraft, readDraft } from "../state/keep.ts";
import type { PageState } from "../state/state.ts";

export interface Edited {
  readonly kind: Kind;
  readonly name: string;
  /** As it holds. */
  readonly text: string;
  /** The number of its newest revision; 0 for none. */
  readonly number: number;
  /** There is to be none of that name yet. */
  readonly isNew: boolean;
  /** What a draft is kept under. */
  readonly draft: string;
}

export interface Editing {
  readonly text: string;
  /** What the text is compared with: what holds, as far as it is known here. */
  readonly before: string;
  readonly isChanged: boolean;
  /** What was written is from an earlier visit. */
  readonly isFromDraft: boolean;
  /** What is wrong with the text as it stands; null until it is known, and while there is none and nobody has begun one. */
  readonly checked: Checked | null;
  /** What somebody else has saved meanwhile; null: nothing. */
  readonly theirs: Theirs | null;
  /** Why it was not saved; null where nothing is in the way. */
  readonly problem: string | null;
  readonly isBusy: boolean;
  readonly write: (text: string) => void;
  readonly discard: () => void;
  /** What somebody else has saved is seen, and what is written here is to stand over it. */
  readonly keepMine: () => void;
  /** Resolves with the new number; null: it was not saved, and `problem` or `theirs` says why. */
  readonly save: () => Promise<number | null>;
  /** `became`: what holds then. */
  readonly takeBack: (became: string) => Promise<number | null>;
}

interface Written {
  readonly text: string;
  /** The number that its author has seen. */
  readonly after: number;
}

/** Writing a definition: what is written is kept in the browser until it is saved or discarded, and checked as it is written. */
export function useEditing(edited: Edited, state: PageState): Editing {
  const [written, setWritten] = useState<Written | null>(() => draftOf(edited));
  const [isFromDraft, setFromDraft] = useState(written !== null);
  const [seen, setSeen] = useState<{ readonly text: string; readonly number: number } | null>(null);
  const [theirs, setTheirs] = useState<Theirs | null>(null);
  const sending = useSending(edited.kind, state);
  const base = seen !== null && seen.number > edited.number ? seen : edited;
  const text = written?.text ?? base.text;
  const body = { kind: edited.kind, name: edited.name, text };
  // Saving says what is in the way.
  const { found: checked } = useCheck<Checked>({ path: "/features/definitions/check", body }, state);
  const put = (next: Written | null): void => {
    const kept = next === null || next.text === base.text ? null : next;
    setWritten(kept);
    keepDraft(edited.draft, kept === null ? "" : JSON.stringify(kept));
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

/** Sends changes one after the other, and says what is in the way of the last one. */
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
      if (outcome.type === "invalid") setProblem("Something is wrong with the text: see below it.");
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

/** Whether something is written and not saved. */
export function hasDraft(draft: string): boolean {
  return readDraft(draft) !== "";
}
