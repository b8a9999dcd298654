import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { FormField } from "../../../core/protocol/form.ts";
import { COMPOSER_ID } from "./composer/composer.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";
import { useLoaded } from "./section/use-loaded.ts";
import type { Controller } from "./state/controller.ts";
import type { OpenForm } from "./state/forms.ts";
import { Label } from "./text/markdown-text.tsx";

interface FormDialogProps {
  readonly open: Pick<OpenForm, "form" | "problems" | "isSending" | "failure">;
  readonly controller: Pick<Controller, "closeForm" | "submitForm">;
  /** Describes the effect of the values entered so far; called while the person types. */
  readonly follows?: (values: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<string>;
}

/** Debounces keystrokes. In milliseconds. */
const QUIET_MS = 300;

/** A form for the missing arguments of a command. Escape closes it without sending anything. */
export function FormDialog({ open, controller, follows }: FormDialogProps): JSX.Element {
  const { form, problems, isSending, failure } = open;
  const top = useRef<HTMLDivElement>(null);
  const fields = form.fields.filter(({ kind }) => kind !== "channel");
  useEffect(() => focusComposer, []);
  useEffect(() => {
    top.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problems]);
  return (
    <Dialog
      title={form.title}
      words="Go ahead"
      isSending={isSending}
      problem={failure}
      goAhead={(filled) => controller.submitForm(valuesOf(filled))}
      close={controller.closeForm}
      note={follows !== undefined && <Follows fields={top} follows={follows} />}
    >
      <div ref={top}>
        {fields.map((field, index) => (
          <Field key={field.name} field={field} problem={problems[field.name]} isFirst={index === 0} />
        ))}
      </div>
    </Dialog>
  );
}

/** Moves a lost focus to the composer, because a command that opens a thread replaces the composer. */
function focusComposer(): void {
  const focused = document.activeElement;
  const isKept = focused !== null && focused !== document.body && focused.closest("dialog") === null;
  if (!isKept) document.getElementById(COMPOSER_ID)?.focus();
}

interface FollowsProps {
  readonly fields: { readonly current: HTMLElement | null };
  readonly follows: NonNullable<FormDialogProps["follows"]>;
}

function Follows({ fields, follows }: FollowsProps): JSX.Element {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  useEffect(() => {
    const form = fields.current?.closest("form");
    const read = (): void => setTyped(form == null ? {} : valuesOf(form));
    read();
    form?.addEventListener("input", read);
    return () => form?.removeEventListener("input", read);
  }, []);
  const { value: words } = useLoaded(JSON.stringify(typed), async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    return signal.aborted ? "" : follows(typed, signal).catch(() => "");
  });
  return (
    <p class="hint follows" role="status">
      <Label text={words ?? ""} />
    </p>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly problem: string | undefined;
  readonly isFirst: boolean;
}

function Field({ field, problem, isFirst }: FieldProps): JSX.Element {
  const { name, label, required, hint } = field;
  const id = `field-${name}`;
  const notes = [...(hint === undefined ? [] : [`${id}-hint`]), ...(problem === undefined ? [] : [`${id}-problem`])];
  return (
    <div class="field">
      <label for={id}>
        {label}
        <span class="needed">{required ? " (required)" : " (optional)"}</span>
      </label>
      <Input
        field={field}
        common={{
          id,
          name,
          required,
          autofocus: isFirst,
          "aria-invalid": problem !== undefined,
          "aria-describedby": notes.join(" "),
        }}
      />
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <Problem text={problem ?? null} id={`${id}-problem`} />
    </div>
  );
}

interface InputProps {
  readonly field: FormField;
  readonly common: {
    readonly id: string;
    readonly name: string;
    readonly required: boolean;
    readonly autofocus: boolean;
    readonly "aria-invalid": boolean;
    readonly "aria-describedby": string;
  };
}

/** An uncontrolled input: the form supplies only the initial value, so that typed text is kept. */
function Input({ field, common }: InputProps): JSX.Element {
  const { kind, choices = [], required, isMachinesZone = false } = field;
  const value = isMachinesZone ? Intl.DateTimeFormat().resolvedOptions().timeZone : (field.value ?? "");
  if (kind === "multiline") return <textarea rows={4} defaultValue={value} {...common} />;
  if (kind !== "choice") return <input type="text" autocomplete="off" defaultValue={value} {...common} />;
  const words = required || choices.includes("") ? choices : ["", ...choices];
  return (
    <select {...common}>
      {words.map((word) => (
        <option key={word} value={word} selected={word === value}>
          {word}
        </option>
      ))}
    </select>
  );
}

function valuesOf(form: HTMLFormElement): Record<string, string> {
  return Object.fromEntries(
    [...new FormData(form)].flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
}
