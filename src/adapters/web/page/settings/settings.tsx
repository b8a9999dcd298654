import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted } from "../../../../core/text/counted.ts";
import type { SettingProblem, ShownSetting, TeamSettings } from "../../sessions/team-settings.ts";
import { Choose } from "../section/choose.tsx";
import { LoadedView } from "../section/loaded-view.tsx";
import { get } from "../section/request.ts";
import type { SectionProps } from "../section/section-props.ts";
import { useLoaded } from "../section/use-loaded.ts";
import { groupsOf } from "./groups.ts";
import { History, OldRevision } from "./history.tsx";
import { isWithin, keyOf, nameOf } from "./paths.ts";
import { ReviewDialog } from "./review-dialog.tsx";
import { SettingField } from "./setting-field.tsx";
import { type Draft, useDraft } from "./use-draft.ts";

/** The operator's settings: values in effect, their origin, and how to change them. */
export function Settings({ state, rest, go }: SectionProps): JSX.Element {
  const loaded = useLoaded("", (signal) => get<TeamSettings>("/features/configuration/settings", {}, signal));
  const draft = useDraft(loaded.value?.number ?? null, state);
  const [isReviewing, setIsReviewing] = useState(false);
  const [said, setSaid] = useState("");
  const [, number] = rest.split("/");
  if (rest === "history") return <History />;
  if (number !== undefined) {
    const restore: Draft["begin"] = (changes) => {
      draft.begin(changes);
      setIsReviewing(true);
      go("");
    };
    return <OldRevision number={number} mayChange={loaded.value?.mayChange === true} restore={restore} />;
  }
  return (
    <>
      <LoadedView loaded={loaded}>
        {(value) => (
          <>
            <Notes value={value} />
            <Form value={value} draft={draft} />
          </>
        )}
      </LoadedView>
      <SaveBar
        draft={draft}
        said={said === "" ? said : `${said}${restartWords(loaded.value)}`}
        review={() => setIsReviewing(true)}
      />
      {isReviewing && loaded.value !== null && (
        <ReviewDialog
          draft={draft}
          base={loaded.value.number}
          state={state}
          saved={(saved) => {
            setIsReviewing(false);
            setSaid(`✓ Saved as revision ${saved}.`);
            draft.begin([]);
            loaded.reload();
          }}
          overtaken={loaded.reload}
          close={() => setIsReviewing(false)}
        />
      )}
    </>
  );
}

function restartWords(value: TeamSettings | null): string {
  return value === null || value.awaiting.length === 0 ? "" : " A restart is needed.";
}

function Notes({ value }: { readonly value: TeamSettings }): JSX.Element {
  const { number, awaiting, elsewhere, leftOut, mayChange, fileName } = value;
  return (
    <div class="settings-notes">
      <p>
        Environment variables and <code>{fileName}</code> take precedence over this page; what they set is locked here.
        {!mayChange && " Only admins can change settings."}{" "}
        {number > 0 && <a href="#/settings/history">Revision {number} and earlier</a>}
      </p>
      {elsewhere.map((line) => (
        <p key={line} class="warning">
          ⚠ {line}
        </p>
      ))}
      {awaiting.length > 0 && (
        <p class="warning">
          ⚠ A restart is needed: until then {awaiting.map(nameOf).join(", ")}{" "}
          {awaiting.length === 1 ? "keeps its" : "keep their"} old value.
        </p>
      )}
      {leftOut.length > 0 && (
        <div class="problem">
          <p>Some values set here are no longer valid and are ignored. The next save removes them.</p>
          <ul>
            {leftOut.map(({ path, text }) => (
              <li key={keyOf(path)}>
                <code>{nameOf(path)}</code> {text}
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  );
}

const WHICH = [
  ["all", "all"],
  ["set", "set somewhere"],
  ["here", "set here"],
] as const;

function Form({ value, draft }: { readonly value: TeamSettings; readonly draft: Draft }): JSX.Element {
  const [search, setSearch] = useState("");
  const [which, setWhich] = useState("all");
  const { settings, mayChange } = value;
  const problems = placed(settings, draft.problems);
  const isShown = (setting: ShownSetting): boolean => {
    if (draft.changes.size > 0 && (problems.get(setting) ?? []).length > 0) return true;
    if (which === "set" && setting.from.type === "default" && setting.inFile === undefined) return false;
    if (which === "here" && setting.set === undefined) return false;
    return `${nameOf(setting.path)} ${setting.description}`.toLowerCase().includes(search.trim().toLowerCase());
  };
  const groups = groupsOf(settings.filter(isShown));
  return (
    <>
      <div class="filters settings-search">
        <input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={search}
          onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        />
        <Choose label="Which settings" value={which} options={WHICH} choose={setWhich} />
      </div>
      {groups.length === 0 && <p class="hint centred">No settings match this search.</p>}
      {groups.map(({ title, settings: own }) => (
        <section key={title} class="settings-group" aria-label={title}>
          <h2>{title}</h2>
          {own.map((setting) => (
            <SettingField
              key={keyOf(setting.path)}
              setting={setting}
              draft={draft}
              mayChange={mayChange}
              problems={problems.get(setting) ?? []}
            />
          ))}
        </section>
      ))}
    </>
  );
}

/** Groups problems by setting: the one that contains the problem's path, or else the first within that path. */
function placed(settings: readonly ShownSetting[], problems: readonly SettingProblem[]) {
  const found = new Map<ShownSetting, SettingProblem[]>();
  for (const problem of problems) {
    const setting =
      settings.findLast(({ path }) => isWithin(problem.path, path)) ??
      settings.find(({ path }) => isWithin(path, problem.path));
    if (setting !== undefined) found.set(setting, [...(found.get(setting) ?? []), problem]);
  }
  return found;
}

interface SaveBarProps {
  readonly draft: Draft;
  /** Outcome of the last save; empty before the first. */
  readonly said: string;
  readonly review: () => void;
}

function SaveBar({ draft, said, review }: SaveBarProps): JSX.Element {
  const { changes, problems, failure } = draft;
  const isGood = changes.size > 0 && problems.length === 0;
  const isEmpty = changes.size === 0 && problems.length === 0;
  return (
    <div class={isEmpty && said === "" ? "hidden" : "save-bar"}>
      <span role="status">
        {isEmpty ? said : progressOf(changes.size, problems.length)}
        {failure !== null && ` ${failure}`}
      </span>
      {!isEmpty && (
        <>
          <button type="button" class="primary" aria-disabled={!isGood} onClick={() => isGood && review()}>
            Review and save
          </button>
          <button type="button" onClick={() => draft.begin([])}>
            Discard
          </button>
        </>
      )}
    </div>
  );
}

function progressOf(changes: number, problems: number): string {
  if (problems > 0) return `${counted(problems, "problem")} to fix before saving.`;
  return `${counted(changes, "unsaved change")}.`;
}
