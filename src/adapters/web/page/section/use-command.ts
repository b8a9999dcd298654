import { useRef, useState } from "preact/hooks";
import type { FormValues } from "../../../../core/protocol/form.ts";
import type { CommandOutcome } from "../../sessions/team-jobs.ts";
import type { OpenForm } from "../state/forms.ts";
import { newId } from "../state/new-id.ts";
import type { PageState } from "../state/state.ts";
import { post, problemOf } from "./request.ts";

export interface Commands<T> {
  /** The answer to the last command, as Markdown; null for none. */
  readonly words: string | null;
  readonly isBusy: boolean;
  /** The form to fill in; null for none. */
  readonly form: Pick<OpenForm, "form" | "problems" | "isSending" | "failure"> | null;
  readonly run: (target: T) => void;
  readonly submitForm: (filled: FormValues) => void;
  readonly closeForm: () => void;
}

interface PendingCommand<T> {
  readonly target: T;
  readonly outcome: CommandOutcome;
  readonly failure: string | null;
}

export interface CommandRoute<T> {
  readonly path: string;
  /** Builds the request body beside the click id; `outcome` holds the form being submitted, null for a first request. */
  readonly bodyOf: (target: T, outcome: CommandOutcome | null) => object;
  readonly done: (target: T) => void;
}

/** Runs what is otherwise a typed command, and opens a form for its missing arguments. */
export function useCommand<T>(state: PageState, { path, bodyOf, done }: CommandRoute<T>): Commands<T> {
  const [words, setWords] = useState<string | null>(null);
  const [asked, setAsked] = useState<PendingCommand<T> | null>(null);
  const [isBusy, setBusy] = useState(false);
  // Stays the same when a failed form is sent again.
  const clickId = useRef("");
  const send = async (target: T, filled?: FormValues): Promise<void> => {
    setBusy(true);
    const form = filled === undefined ? null : (asked?.outcome ?? null);
    const body = { clickId: clickId.current, ...bodyOf(target, form), ...(filled === undefined ? {} : { filled }) };
    try {
      const outcome = await post<CommandOutcome>(path, body, state);
      setAsked(outcome.form === null ? null : { target, outcome: outcome, failure: null });
      setWords(outcome.form === null ? outcome.words : null);
      clickId.current = newId();
      if (outcome.form === null) done(target);
    } catch (error) {
      if (filled === undefined) setWords(problemOf(error));
      else setAsked((before) => before && { ...before, failure: problemOf(error) });
    } finally {
      setBusy(false);
    }
  };
  return {
    words,
    isBusy,
    form:
      asked?.outcome.form == null
        ? null
        : { form: asked.outcome.form, problems: asked.outcome.problems, isSending: isBusy, failure: asked.failure },
    run: (target) => {
      if (isBusy) return;
      clickId.current = newId();
      send(target).catch(() => {});
    },
    submitForm: (filled) => {
      if (asked !== null && !isBusy) send(asked.target, filled).catch(() => {});
    },
    closeForm: () => setAsked(null),
  };
}
