import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SettingControl, SettingPath } from "../../sessions/team-settings.ts";
import type { Draft } from "./use-draft.ts";

interface InputProps {
  readonly path: SettingPath;
  /** Undefined if nothing is set. */
  readonly value: unknown;
  readonly isLocked: boolean;
  readonly draft: Pick<Draft, "change" | "spoil" | "spoiltAt">;
  /** The value in effect if nothing is typed; empty for none. */
  readonly placeholder?: string;
  readonly id: string;
  readonly describedBy: string;
  readonly isInvalid: boolean;
}

interface ControlProps extends InputProps {
  readonly control: SettingControl;
}

/** The input of one setting. It follows the setting's value, except while somebody types. */
export function Control({ control, ...props }: ControlProps): JSX.Element {
  const { path, value, isLocked, draft } = props;
  switch (control.type) {
    case "switch":
      return (
        <input
          {...commonOf(props)}
          type="checkbox"
          checked={value === true}
          disabled={isLocked}
          onChange={({ currentTarget }) => draft.change({ path, value: currentTarget.checked })}
        />
      );
    case "choice":
      return <Choice {...props} options={control.options} />;
    case "number":
      return <Typed {...props} read={numberOf} textOf={textOf} mode="decimal" />;
    case "list":
      return <Typed {...props} read={listOf} textOf={linesOf} isLong />;
    default:
      return <Typed {...props} read={textRead} textOf={textOf} isLong={path.at(-1)?.endsWith("Prompt") === true} />;
  }
}

/** What every kind of input has. */
function commonOf({ id, describedBy, isInvalid }: InputProps) {
  return { id, "aria-describedby": describedBy, "aria-invalid": isInvalid };
}

interface ChoiceProps extends InputProps {
  readonly options: readonly string[];
}

function Choice({ options, ...props }: ChoiceProps): JSX.Element {
  const { path, value, isLocked, draft } = props;
  return (
    <select
      {...commonOf(props)}
      disabled={isLocked}
      onChange={({ currentTarget }) =>
        draft.change(currentTarget.value === "" ? { path } : { path, value: currentTarget.value })
      }
    >
      {value === undefined && (
        <option value="" selected>
          not set
        </option>
      )}
      {options.map((option) => (
        <option key={option} value={option} selected={option === value}>
          {option}
        </option>
      ))}
    </select>
  );
}

/** The value of typed text, or a sentence that says why it cannot be parsed. */
type Read = { readonly value: unknown } | { readonly problem: string };

interface TypedProps extends InputProps {
  readonly read: (text: string) => Read;
  readonly textOf: (value: unknown) => string;
  readonly isLong?: boolean;
  readonly mode?: "decimal";
}

export function Typed({ read, textOf: typedOf, isLong, mode, ...props }: TypedProps): JSX.Element {
  const { path, value, isLocked, draft, placeholder } = props;
  const text = typedOf(value);
  const [typed, setTyped] = useState<{ readonly text: string; readonly of: string } | null>(null);
  // Shows the typed text until the value differs from what that text was parsed to.
  const shown = draft.spoiltAt(path) ?? (typed !== null && typed.of === text ? typed.text : text);
  const take = (next: string): void => {
    const found = read(next);
    if ("problem" in found) return draft.spoil(path, next, found.problem);
    setTyped({ text: next, of: typedOf(found.value) });
    draft.change(found.value === undefined ? { path } : { path, value: found.value });
  };
  const given = { ...commonOf(props), value: shown, placeholder, readOnly: isLocked, spellcheck: false };
  if (isLong === true) {
    const rows = Math.min(8, Math.max(2, shown.split("\n").length + 1));
    return <textarea {...given} rows={rows} onInput={({ currentTarget }) => take(currentTarget.value)} />;
  }
  return (
    <input
      {...given}
      type="text"
      inputMode={mode}
      autocomplete="off"
      onInput={({ currentTarget }) => take(currentTarget.value)}
    />
  );
}

export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function linesOf(value: unknown): string {
  return Array.isArray(value) ? value.map(textOf).join("\n") : textOf(value);
}

function textRead(text: string): Read {
  return { value: text === "" ? undefined : text };
}

function numberOf(text: string): Read {
  const trimmed = text.trim();
  if (trimmed === "") return { value: undefined };
  const value = /^[-+.\de]+$/iu.test(trimmed) ? Number(trimmed) : Number.NaN;
  return Number.isFinite(value) ? { value } : { problem: "must be a number." };
}

function listOf(text: string): Read {
  const lines = text.split("\n").map((line) => line.trim());
  const value: unknown[] = [];
  for (const [index, line] of lines.entries()) {
    if (line === "") continue;
    const object = line.startsWith("{") ? jsonOf(line) : { value: line };
    if (object === null) return { problem: `Line ${index + 1} looks like JSON but is not valid.` };
    value.push(object.value);
  }
  return { value };
}

/** Parses JSON; null if the text is not valid. */
export function jsonOf(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
}
