import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ShownSetting } from "../../sessions/team-settings.ts";
import { jsonOf, Typed, textOf } from "./controls.tsx";
import { keyOf } from "./paths.ts";
import type { Draft } from "./use-draft.ts";

interface RecordControlProps {
  readonly setting: ShownSetting;
  readonly draft: Draft;
  readonly id: string;
  readonly describedBy: string;
  readonly isInvalid: boolean;
  readonly isReadOnly: boolean;
}

/** The input of a setting with freely named entries, each an object in JSON or a text. */
export function RecordControl(props: RecordControlProps): JSX.Element {
  const { setting, draft, id, isReadOnly } = props;
  const entries = entriesOf(setting, draft);
  const isLocked = isReadOnly || setting.locked !== null;
  return (
    <div class="record" id={id} role="group" aria-labelledby={`${id}-name`} aria-describedby={props.describedBy}>
      {setting.isHidden === true && <p class="hint">The value is not shown here.</p>}
      {entries.length === 0 && setting.isHidden !== true && <p class="hint">None.</p>}
      {entries.map((entry) => (
        <Entry key={entry.name} {...props} entry={entry} isLocked={isLocked} />
      ))}
      {!isLocked && <NewEntry setting={setting} draft={draft} names={entries.map(({ name }) => name)} id={id} />}
    </div>
  );
}

interface RecordEntry {
  readonly name: string;
  /** The entry's value from the page, including unsaved changes; undefined for none. */
  readonly set: unknown;
  /** The entry's value from the settings file, which takes precedence. */
  readonly inFile: unknown;
}

function entriesOf({ path, set, inFile = {} }: ShownSetting, { changes }: Draft): RecordEntry[] {
  const saved: Readonly<Record<string, unknown>> = typeof set === "object" && set !== null ? { ...set } : {};
  const all = [...changes.values()].filter((change) => keyOf(change.path.slice(0, -1)) === keyOf(path));
  const changed = new Map(all.map((change) => [change.path.at(-1) ?? "", change]));
  const names = new Set([...Object.keys(inFile), ...Object.keys(saved), ...changed.keys()]);
  return [...names].flatMap((name) => {
    const own = changed.has(name) ? changed.get(name)?.value : ownOf(saved, name);
    const fixed = ownOf(inFile, name);
    return own === undefined && fixed === undefined ? [] : [{ name, set: own, inFile: fixed }];
  });
}

/** Reads an own property, because an entry may be named like an inherited one. */
function ownOf(record: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

interface EntryProps extends RecordControlProps {
  readonly entry: RecordEntry;
  readonly isLocked: boolean;
}

function Entry({ setting, draft, id, describedBy, isInvalid, entry, isLocked }: EntryProps): JSX.Element {
  const { name, set, inFile } = entry;
  const path = [...setting.path, name];
  const isText = setting.control.type === "record" && setting.control.of === "text";
  const entryId = `${id}-${name}`;
  return (
    <div class="record-entry">
      <div class="record-head">
        <label for={entryId}>
          <code>{name}</code>
        </label>
        {!isLocked && set !== undefined && (
          <button type="button" aria-label={`Remove ${name}`} onClick={() => draft.change({ path })}>
            Remove
          </button>
        )}
      </div>
      {inFile !== undefined && (
        <p class="hint">
          The file has <code>{textOf(inFile)}</code>, which takes precedence over the value set here.
        </p>
      )}
      {(set !== undefined || !isLocked) && (
        <Typed
          path={path}
          value={set}
          isLocked={isLocked}
          draft={draft}
          id={entryId}
          describedBy={describedBy}
          isInvalid={isInvalid}
          read={isText ? (text) => ({ value: text === "" ? undefined : text }) : objectOf}
          textOf={isText ? textOf : prettyOf}
          isLong={!isText}
        />
      )}
    </div>
  );
}

function prettyOf(value: unknown): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}

function objectOf(text: string) {
  if (text.trim() === "") return { value: undefined };
  const read = jsonOf(text);
  const isObject = typeof read?.value === "object" && read.value !== null && !Array.isArray(read.value);
  return isObject ? { value: read.value } : { problem: 'must be a JSON object, such as { "maxTurns": 20 }.' };
}

/** The one forbidden name in a setting's path, since it would change the prototype of objects. */
const NO_NAME = "__proto__";

interface NewEntryProps {
  readonly setting: ShownSetting;
  readonly draft: Draft;
  readonly names: readonly string[];
  readonly id: string;
}

function NewEntry({ setting: { path, control, example }, draft, names, id }: NewEntryProps): JSX.Element {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const isText = control.type === "record" && control.of === "text";
  const [first] = Object.entries(typeof example === "object" && example !== null ? example : {});
  const isTakeable = name.trim() !== NO_NAME;
  const isNew = name.trim() !== "" && isTakeable && !names.includes(name.trim()) && (!isText || text !== "");
  const add = (): void => {
    if (!isNew) return;
    draft.change({ path: [...path, name.trim()], value: isText ? text : {} });
    setName("");
    setText("");
  };
  return (
    <div class="record-new" id={`${id}-new`}>
      <NewText
        label="New name"
        text={name}
        set={setName}
        example={first?.[0]}
        add={add}
        problemId={isTakeable ? null : `${id}-new-problem`}
      />
      {isText && <NewText label="Value" text={text} set={setText} example={first?.[1]} add={add} />}
      <button type="button" aria-disabled={!isNew} onClick={add}>
        Add
      </button>
      {!isTakeable && (
        <p class="problem" role="alert" id={`${id}-new-problem`}>
          <code>{NO_NAME}</code> cannot be a name.
        </p>
      )}
    </div>
  );
}

interface NewTextProps {
  readonly label: string;
  readonly text: string;
  readonly set: (text: string) => void;
  readonly example: unknown;
  readonly add: () => void;
  /** The element that says why it cannot be taken; null: nothing is in the way. */
  readonly problemId?: string | null;
}

function NewText({ label, text, set, example, add, problemId = null }: NewTextProps): JSX.Element {
  return (
    <input
      type="text"
      aria-label={label}
      aria-invalid={problemId !== null}
      aria-describedby={problemId ?? undefined}
      autocomplete="off"
      spellcheck={false}
      placeholder={textOf(example)}
      value={text}
      onInput={({ currentTarget }) => set(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter") return;
        event.preventDefault();
        add();
      }}
    />
  );
}
