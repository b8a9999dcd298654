import { useRef, useState } from "preact/hooks";
import type { FormValues } from "../../../../core/protocol/form.ts";
import type { JobTold } from "../../sessions/team-jobs.ts";
import { post, problemOf } from "../section/request.ts";
import { newId } from "../state/new-id.ts";
import type { OpenForm, PageState } from "../state/state.ts";

/** A job that something is done with, or the channel of a new one. */
export type JobTarget =
  | { readonly verb: "run" | "enable" | "disable" | "edit" | "remove"; readonly jobId: string }
  | { readonly verb: "add"; readonly channelId: string };

export interface JobCommands {
  /** What there is to say of the last one, as Markdown; null for nothing. */
  readonly words: string | null;
  readonly isBusy: boolean;
  /** What is to be filled in; null for nothing. */
  readonly form: Pick<OpenForm, "form" | "problems" | "isSending" | "failure"> | null;
  readonly tell: (target: JobTarget) => void;
  readonly submitForm: (filled: FormValues) => void;
  readonly closeForm: () => void;
}

interface Asked {
  readonly target: JobTarget;
  readonly told: JobTold;
  readonly failure: string | null;
}

/** Does with a job what is typed in its channel otherwise, and asks for what that lacks. */
export function useJobCommand(state: PageState, done: (target: JobTarget) => void): JobCommands {
  const [words, setWords] = useState<string | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [isBusy, setBusy] = useState(false);
  // The same however often it is sent.
  const clickId = useRef("");
  const send = async (target: JobTarget, filled?: FormValues): Promise<void> => {
    setBusy(true);
    const version = asked === null ? undefined : versionIn(asked.told);
    const body = { clickId: clickId.current, target, ...(filled === undefined ? {} : { filled, version }) };
    try {
      const told = await post<JobTold>("/features/console/jobs/command", body, state);
      setAsked(told.form === null ? null : { target, told, failure: null });
      setWords(told.form === null ? told.words : null);
      clickId.current = newId();
      if (told.form === null) done(target);
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
      asked?.told.form == null
        ? null
        : { form: asked.told.form, problems: asked.told.problems, isSending: isBusy, failure: asked.failure },
    tell: (target) => {
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

/** How the job stood when its form was made: `edit job_1@1a2b3c4d`. */
function versionIn({ form }: JobTold): string | undefined {
  return form?.line.split("@")[1];
}
