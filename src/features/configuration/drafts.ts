import { appliesAtOnce } from "../../config/stored/live.ts";
import type { PageSettings, SkippedSetting } from "../../config/stored/page-settings.ts";
import {
  distinctBy,
  leafPaths,
  type Path,
  type Plain,
  valueAt,
  withoutValue,
  withValue,
} from "../../config/stored/plain.ts";
import { isObject } from "../../core/text/from-json.ts";
import type { CheckedSettings, SettingChange, SettingDifference, SettingProblem } from "../../feature.ts";
import { setAbove } from "./shown.ts";

/** Settings that somebody wants the page to store. */
export interface Draft {
  readonly set: Plain;
  readonly checked: CheckedSettings;
}

/** Maximum size of everything that the page stores, in characters. */
const MAX_CHARS = 100_000;

/**
 * Applies changes to a copy of the current settings and reports their effect, without storing anything. Null if the
 * result is too large.
 */
export function draftOf(changes: readonly SettingChange[], settings: PageSettings): Draft | null {
  const set = changes.reduce(changed, settings.set);
  if (JSON.stringify(set).length > MAX_CHARS) return null;
  const fitted = settings.preview(set);
  const [before, after] = [settings.values(settings.set), settings.values(set)];
  const differences = differencesOf(settings.set, set).map((each) => withEffect(each, before, after));
  const problems = [...fitted.skipped.map(problemOf), ...beaten(differences, settings)];
  const known = new Set(settings.next.warnings);
  const warnings = fitted.config.warnings.filter((warning) => !known.has(warning));
  return { set, checked: { problems, differences, warnings } };
}

function changed(set: Plain, { path, value }: SettingChange): Plain {
  return value === undefined ? withoutValue(set, path) : withValue(withoutValue(set, path), path, value);
}

export function problemOf({ path, at, why }: SkippedSetting): SettingProblem {
  const names = at.filter((part) => typeof part === "string");
  const index = at.find((part) => typeof part === "number");
  return {
    path: names.length >= path.length ? names : path,
    text: index === undefined ? why : `Entry ${index + 1} ${why}`,
  };
}

/** Problems of changes that would have no effect, because the file or a variable sets the same. */
function beaten(differences: readonly SettingDifference[], settings: PageSettings): SettingProblem[] {
  return differences.flatMap(({ path, after }) => {
    const by = after === undefined ? null : setAbove(path, settings);
    return by === null ? [] : [{ path, text: `${by} sets it and takes precedence over this page.` }];
  });
}

/** The differences between two revisions, setting by setting. */
export function differencesOf(before: Plain, after: Plain): SettingDifference[] {
  const paths = [...leafPaths(before), ...leafPaths(after)].filter((path) => path.length > 0);
  return distinctBy(paths, (path) => path).flatMap((path) => {
    const [old, next] = [leafAt(before, path), leafAt(after, path)];
    if (JSON.stringify(old) === JSON.stringify(next)) return [];
    return [
      {
        path,
        ...(old === undefined ? {} : { before: old }),
        ...(next === undefined ? {} : { after: next }),
        holdsAtOnce: appliesAtOnce(path),
      },
    ];
  });
}

/** Undefined for a non-empty object, whose fields count separately. */
function leafAt(root: Plain, path: Path): unknown {
  const value = valueAt(root, path);
  return isObject(value) && Object.keys(value).length > 0 ? undefined : value;
}

/** Fills in effective values where the page sets nothing; `before` and `after` are all settings. */
function withEffect(difference: SettingDifference, before: unknown, after: unknown): SettingDifference {
  const [was, is] = [valueAt(before, difference.path), valueAt(after, difference.path)];
  return { ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }), ...difference };
}

/** The changes that turn one set of settings into another; settings that are not changed on their own are left out. */
export function changesBetween(from: Plain, to: Plain, placeOf: (path: Path) => Path | null): SettingChange[] {
  const changes = differencesOf(from, to).flatMap(({ path }) => {
    const place = placeOf(path);
    const value = place === null ? undefined : valueAt(to, place);
    return place === null ? [] : [value === undefined ? { path: place } : { path: place, value }];
  });
  return distinctBy(changes, ({ path }) => path);
}
