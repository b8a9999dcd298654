import { useEffect, useState } from "preact/hooks";
import type { CheckedSettings, SettingChange, SettingPath, SettingProblem } from "../../sessions/team-settings.ts";
import { useCheck } from "../section/use-check.ts";
import { readDraft, storeDraft } from "../state/local-storage.ts";
import type { PageState } from "../state/state.ts";
import { isWithin, keyOf } from "./paths.ts";

export interface Draft {
  readonly changes: ReadonlyMap<string, SettingChange>;
  /** Problems that the server reports, and input that cannot be parsed. */
  readonly problems: readonly SettingProblem[];
  /** The server's check of the changes; null until it arrives. */
  readonly checked: CheckedSettings | null;
  /** Why the check failed; null if it did not. */
  readonly failure: string | null;
  readonly change: (change: SettingChange) => void;
  /** Records input that cannot be parsed; `problem` is a sentence that says why. */
  readonly spoil: (path: SettingPath, typed: string, problem: string) => void;
  /** Returns the unparsable input at a path; undefined if there is none. */
  readonly spoiltAt: (path: SettingPath) => string | undefined;
  readonly undo: (path: SettingPath) => void;
  /** Replaces all changes. */
  readonly begin: (changes: readonly SettingChange[]) => void;
}

interface Spoilt {
  readonly path: SettingPath;
  readonly typed: string;
  /** A sentence. */
  readonly problem: string;
}

/** Keeps and checks a draft; a new `base`, the revision that it changes, repeats the check. */
export function useDraft(base: number | null, state: PageState): Draft {
  const [changes, setChanges] = useState(() => byPath(kept("changes").filter(isChange)));
  const [spoilt, setSpoilt] = useState(() => byPath(kept("spoilt").filter(isSpoilt)));
  useEffect(() => keep([...changes.values()], [...spoilt.values()]), [changes, spoilt]);
  const body = changes.size === 0 || base === null ? null : { changes: [...changes.values()] };
  const asked = { path: "/features/configuration/check", body, repeatOn: base };
  const { found: checked, failure } = useCheck<CheckedSettings>(asked, state);
  const forget = <T>(map: ReadonlyMap<string, T>, key: string) => new Map([...map].filter(([other]) => other !== key));
  return {
    changes,
    problems: [
      ...[...spoilt.values()].map(({ path, problem }) => ({ path, text: problem })),
      ...(checked?.problems ?? []),
    ],
    checked,
    failure,
    change: (change) => {
      const key = keyOf(change.path);
      setSpoilt((all) => forget(all, key));
      // A change replaces the changes of settings within it or around it.
      setChanges((all) => {
        const others = [...all].filter(([, { path }]) => !isWithin(path, change.path) && !isWithin(change.path, path));
        return new Map([...others, [key, change]]);
      });
    },
    spoil: (path, typed, problem) => setSpoilt((all) => new Map([...all, [keyOf(path), { path, typed, problem }]])),
    spoiltAt: (path) => spoilt.get(keyOf(path))?.typed,
    undo: (path) => {
      setSpoilt((all) => forget(all, keyOf(path)));
      setChanges((all) => forget(all, keyOf(path)));
    },
    begin: (given) => {
      setSpoilt(new Map());
      setChanges(byPath(given));
    },
  };
}

/** Storage key of the draft, beside the drafts of threads. */
const KEPT_AS = "settings";

function keep(changes: readonly SettingChange[], spoilt: readonly Spoilt[]): void {
  const isEmpty = changes.length === 0 && spoilt.length === 0;
  storeDraft(KEPT_AS, isEmpty ? "" : JSON.stringify({ changes, spoilt }));
}

/** Reads the changes left unsaved by an earlier visit. */
function kept(part: "changes" | "spoilt"): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(readDraft(KEPT_AS));
    const own: unknown = typeof found === "object" && found !== null ? Reflect.get(found, part) : null;
    return Array.isArray(own) ? own : [];
  } catch {
    return []; // Nothing, or of another version.
  }
}

function byPath<T extends { readonly path: SettingPath }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [keyOf(one.path), one]));
}

function isChange(value: unknown): value is SettingChange {
  return typeof value === "object" && value !== null && "path" in value && Array.isArray(value.path);
}

function isSpoilt(value: unknown): value is Spoilt {
  if (!isChange(value) || !("typed" in value) || !("problem" in value)) return false;
  return typeof value.typed === "string" && typeof value.problem === "string";
}
