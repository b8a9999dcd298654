import { useEffect, useRef, useState } from "preact/hooks";
import type { CheckedSettings, SettingChange, SettingPath, SettingProblem } from "../../sessions/team-settings.ts";
import { post, problemOf } from "../section/request.ts";
import { keepDraft, readDraft } from "../state/keep.ts";
import type { PageState } from "../state/state.ts";
import { isWithin, keyOf } from "./paths.ts";

/** What somebody has changed and not saved. */
export interface Draft {
  readonly changes: ReadonlyMap<string, SettingChange>;
  /** What is wrong, by the server and by what cannot be sent to it. */
  readonly problems: readonly SettingProblem[];
  /** What would come of it; null until the server has said so. */
  readonly checked: CheckedSettings | null;
  /** Why the server has not said so. */
  readonly failure: string | null;
  readonly change: (change: SettingChange) => void;
  /** What is typed is not to be understood; `problem`: a sentence why. */
  readonly spoil: (path: SettingPath, typed: string, problem: string) => void;
  /** What is typed there and not to be understood; undefined: nothing is. */
  readonly spoiltAt: (path: SettingPath) => string | undefined;
  readonly undo: (path: SettingPath) => void;
  /** Others take the place of all. */
  readonly begin: (changes: readonly SettingChange[]) => void;
}

interface Spoilt {
  readonly typed: string;
  readonly problem: SettingProblem;
}

/** So long nothing is asked after a key was pressed. Milliseconds. */
const QUIET_MS = 250;

/** `base`: the revision that the changes are of; they are checked anew on another one. */
export function useDraft(base: number | null, state: PageState): Draft {
  const [changes, setChanges] = useState(keptChanges);
  const [spoilt, setSpoilt] = useState<ReadonlyMap<string, Spoilt>>(new Map());
  useEffect(() => keepDraft(KEPT_AS, changes.size === 0 ? "" : JSON.stringify([...changes.values()])), [changes]);
  const { checked, failure } = useCheck(changes, base, state);
  const forget = <T>(map: ReadonlyMap<string, T>, key: string) => new Map([...map].filter(([other]) => other !== key));
  return {
    changes,
    problems: [...[...spoilt.values()].map(({ problem }) => problem), ...(checked?.problems ?? [])],
    checked,
    failure,
    change: (change) => {
      const key = keyOf(change.path);
      setSpoilt((all) => forget(all, key));
      // What is set within it, or around it, is this change now.
      setChanges((all) => {
        const others = [...all].filter(([, { path }]) => !isWithin(path, change.path) && !isWithin(change.path, path));
        return new Map([...others, [key, change]]);
      });
    },
    spoil: (path, typed, problem) =>
      setSpoilt((all) => new Map([...all, [keyOf(path), { typed, problem: { path, text: problem } }]])),
    spoiltAt: (path) => spoilt.get(keyOf(path))?.typed,
    undo: (path) => {
      setSpoilt((all) => forget(all, keyOf(path)));
      setChanges((all) => forget(all, keyOf(path)));
    },
    begin: (given) => {
      setSpoilt(new Map());
      setChanges(new Map(given.map((change) => [keyOf(change.path), change])));
    },
  };
}

/** Where this browser keeps what is not saved, beside what is written in threads. */
const KEPT_AS = "settings";

/** What was left unsaved when the settings were last looked at. */
function keptChanges(): ReadonlyMap<string, SettingChange> {
  try {
    const kept: unknown = JSON.parse(readDraft(KEPT_AS));
    return new Map(Array.isArray(kept) ? kept.filter(isChange).map((change) => [keyOf(change.path), change]) : []);
  } catch {
    return new Map(); // Nothing, or of another version.
  }
}

function isChange(value: unknown): value is SettingChange {
  return typeof value === "object" && value !== null && "path" in value && Array.isArray(value.path);
}

/** What the server says of changes, a moment after the last one. */
function useCheck(changes: ReadonlyMap<string, SettingChange>, base: number | null, state: PageState) {
  const [known, setKnown] = useState<Pick<Draft, "checked" | "failure">>({ checked: null, failure: null });
  const latest = useRef(state);
  latest.current = state;
  const asked = JSON.stringify([...changes.values()]);
  useEffect(() => {
    setKnown({ checked: null, failure: null });
    if (changes.size === 0 || base === null) return () => {};
    let isOver = false;
    const body = { changes: [...changes.values()] };
    const timer = setTimeout(() => {
      post<CheckedSettings>("/features/configuration/check", body, latest.current).then(
        (checked) => isOver || setKnown({ checked, failure: null }),
        (error: unknown) => isOver || setKnown({ checked: null, failure: problemOf(error) }),
      );
    }, QUIET_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [asked, base]);
  return known;
}
