import type { JSX } from "preact";
import type { SettingProblem, ShownSetting } from "../../sessions/team-settings.ts";
import { Control } from "./controls.tsx";
import { keyOf, nameOf, unitOf, wordsFor } from "./paths.ts";
import { RecordControl } from "./record-control.tsx";
import type { Draft } from "./use-draft.ts";

interface SettingFieldProps {
  readonly setting: ShownSetting;
  readonly draft: Draft;
  readonly mayChange: boolean;
  readonly problems: readonly SettingProblem[];
}

/** One setting: its value, origin and description. */
export function SettingField({ setting, draft, mayChange, problems }: SettingFieldProps): JSX.Element {
  const { path, control, locked } = setting;
  const name = nameOf(path);
  const id = `setting-${name}`;
  const change = draft.changes.get(keyOf(path));
  const isRecord = control.type === "record";
  const fallback = change !== undefined && change.value === undefined ? defaultOf(setting, draft) : undefined;
  const isPicked = control.type === "switch" || control.type === "choice";
  const value = change === undefined ? saved(setting) : (change.value ?? (isPicked ? fallback : undefined));
  const unit = control.type === "number" ? unitOf(path) : null;
  const isInvalid = problems.length > 0;
  const about = { id, describedBy: `${id}-about ${id}-problems`, isInvalid, placeholder: wordsFor(fallback ?? "") };
  const isLocked = locked !== null || !mayChange;
  return (
    <div class={change === undefined ? "setting" : "setting changed"} data-setting={name}>
      <div class="setting-head">
        {isRecord ? (
          <span class="setting-name" id={`${id}-name`}>
            <code>{name}</code>
          </span>
        ) : (
          <label class="setting-name" for={id}>
            <code>{name}</code>
          </label>
        )}
        <Source setting={setting} isChanged={change !== undefined} />
        {!isLocked && !isRecord && <TakeBack setting={setting} draft={draft} isChanged={change !== undefined} />}
      </div>
      <div class="setting-control">
        {isRecord ? (
          <RecordControl setting={setting} draft={draft} {...about} isReadOnly={!mayChange} />
        ) : setting.isHidden === true ? (
          <input id={id} type="text" readOnly value="•••••• (not shown here)" aria-describedby={about.describedBy} />
        ) : (
          <Control path={path} control={control} value={value} isLocked={isLocked} draft={draft} {...about} />
        )}
        {unit !== null && <span class="hint">{unit}</span>}
      </div>
      <div id={`${id}-problems`} role="alert">
        {problems.map(({ path: at, text }) => (
          <p key={text} class="problem">
            {at.length > path.length && `${nameOf(at.slice(path.length))} `}
            {text}
          </p>
        ))}
      </div>
      <About setting={setting} id={`${id}-about`} isLocked={isLocked} />
    </div>
  );
}

interface AboutProps {
  readonly setting: ShownSetting;
  readonly id: string;
  readonly isLocked: boolean;
}

/** A setting's description, why it is locked, and when a change takes effect. */
function About({ setting, id, isLocked }: AboutProps): JSX.Element {
  const { control, description, example, locked, holdsAtOnce } = setting;
  return (
    <p class="hint" id={id}>
      {locked !== null && <strong>Locked: {locked} </strong>}
      <Words text={description} />
      {example !== undefined && control.type !== "record" && !isLocked && (
        <>
          {" "}
          Example: <code>{wordsFor(example)}</code>.
        </>
      )}
      {control.type === "record" && control.of === "object" && !isLocked && " Each is a JSON object, as in the file."}
      {!holdsAtOnce && locked === null && " Takes effect after a restart."}
    </p>
  );
}

/** A sentence in which names stand in backticks. */
function Words({ text }: { readonly text: string }): JSX.Element {
  const parts = text.split("`");
  return <>{parts.map((part, index) => (index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part))}</>;
}

function saved({ set, value, locked }: ShownSetting): unknown {
  return set !== undefined && locked === null ? set : value;
}

/** Returns the value that takes effect without the page's own, once the server's check has arrived. */
function defaultOf({ path }: ShownSetting, { checked }: Draft): unknown {
  return checked?.differences.find((one) => keyOf(one.path) === keyOf(path))?.after;
}

function Source({
  setting: { from, value },
  isChanged,
}: {
  readonly setting: ShownSetting;
  readonly isChanged: boolean;
}): JSX.Element {
  if (isChanged) return <span class="setting-from">changed, not saved</span>;
  if (from.type === "above") {
    return (
      <span class="setting-from">
        from <code>{from.by}</code>
      </span>
    );
  }
  return (
    <span class="setting-from">{from.type === "page" ? "set here" : value === undefined ? "not set" : "default"}</span>
  );
}

interface TakeBackProps {
  readonly setting: ShownSetting;
  readonly draft: Draft;
  readonly isChanged: boolean;
}

function TakeBack({ setting: { path, set }, draft, isChanged }: TakeBackProps): JSX.Element | null {
  const name = nameOf(path);
  if (isChanged) {
    return (
      <button type="button" aria-label={`Undo the change to ${name}`} onClick={() => draft.undo(path)}>
        Undo
      </button>
    );
  }
  if (set === undefined) return null;
  return (
    <button type="button" aria-label={`Use the default for ${name}`} onClick={() => draft.change({ path })}>
      Use the default
    </button>
  );
}
