import type { Form, FormProblems } from "../../../../core/protocol/form.ts";
import type { ServerFrame } from "../../wire.ts";

/** A form that asks for the missing arguments of a command. */
export interface OpenForm {
  readonly threadId: string | null;
  readonly form: Form;
  /** Problems with the submitted values, by field name. */
  readonly problems: FormProblems;
  /** Stays the same when the form is sent again; null before the first time. */
  readonly clickId: string | null;
  readonly isSending: boolean;
  /** Why the form was not accepted. */
  readonly failure: string | null;
}

interface WithForm {
  readonly form: OpenForm | null;
}

type FormFrame = Extract<ServerFrame, { type: "form" }>;

/** Opens a form. The open form, returned with problems, keeps its click id. */
export function withForm<S extends WithForm>(state: S, { id, threadId, form, problems }: FormFrame): S {
  const clickId = state.form?.clickId === id ? id : null;
  return { ...state, form: { threadId, form, problems, clickId, isSending: false, failure: null } };
}

export function withoutForm<S extends WithForm>(state: S, clickId: string): S {
  return state.form?.clickId === clickId ? { ...state, form: null } : state;
}

export function notSent(form: OpenForm | null): OpenForm | null {
  if (form?.isSending !== true) return form;
  return { ...form, isSending: false, failure: "The connection was lost. Send it again when it is back." };
}
