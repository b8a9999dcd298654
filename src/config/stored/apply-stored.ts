import { type Config, configFrom } from "../../config.ts";
import { ConfigError } from "../../core/protocol/errors.ts";
import { fromJson, isObject } from "../../core/text/from-json.ts";
import { configureFeatures, settingsWith, withoutOwnKeys } from "../features.ts";
import { dotted, type ExampleStyle, PARSE_OPTIONS, problemsIn } from "../problems.ts";
import type { Origin } from "../resolve.ts";
import type { SkippedSetting } from "./page-settings.ts";
import { deepestOf, leafPaths, mergeOver, type Path, type Plain, valueAt, withoutValue, withValue } from "./plain.ts";
import { type SettingsNodes, settingsNodes } from "./settings-nodes.ts";

/** The line shown in the terminal at each start, and by doctor. */
export function skippedLine({ path, why }: SkippedSetting): string {
  const named = path.length === 0 ? "" : ` ${dotted(path)}:`;
  return `Set on the page, but ignored:${named} ${why}`;
}

/** The part of a revision that can take effect. */
export interface AppliedSettings {
  readonly config: Config;
  /** Without what is skipped, but including what a file or the environment overrides. */
  readonly set: Plain;
  readonly skipped: readonly SkippedSetting[];
}

/** Checks that need the whole program, such as whether a named agent exists. */
export type CheckSettings = (config: Config) => readonly string[];

/** The page shows an example beside its setting. */
const PAGE_STYLE: ExampleStyle = {
  example: (_path, value) => (typeof value === "string" ? value : JSON.stringify(value)),
};

const NOT_READ = "The stored settings cannot be read.";

/**
 * Applies the page's settings beneath the file. Settings that are no longer valid, because the version or the file
 * changed, are skipped without affecting the rest. Throws ConfigError if the layers above are invalid by themselves.
 */
export function applyStored(content: string | null, origin: Origin, check: CheckSettings): AppliedSettings {
  const read = readContent(content);
  if (read === null) return { config: configFrom(origin, {}), set: {}, skipped: [{ path: [], at: [], why: NOT_READ }] };
  return applySettings(read, origin, check);
}

/** Null if it is not a JSON object. */
export function readContent(content: string | null): Plain | null {
  if (content === null) return {};
  const read = fromJson(content);
  return isObject(read) ? read : null;
}

export function applySettings(given: Plain, origin: Origin, check: CheckSettings): AppliedSettings {
  // Skips the checks if nothing is set.
  if (Object.keys(given).length === 0) return { config: configFrom(origin, {}), set: {}, skipped: [] };
  const filter = new SettingsFilter(given);
  skipFileOnly(filter, settingsNodes(origin.features));
  checkSchema(filter, origin);
  checkFeatures(filter, origin);
  const config = resolved(filter, origin, check);
  return { config, set: filter.set, skipped: filter.skipped };
}

class SettingsFilter {
  set: Plain;
  readonly skipped: SkippedSetting[] = [];

  constructor(set: Plain) {
    this.set = set;
  }

  skip(path: Path, why: string, at: readonly PropertyKey[] = path): void {
    if (valueAt(this.set, path) === undefined) return;
    this.set = path.length === 0 ? {} : withoutValue(this.set, path);
    this.skipped.push({ path, at, why });
  }
}

function skipFileOnly(filter: SettingsFilter, nodes: SettingsNodes): void {
  for (const path of leafPaths(filter.set)) {
    const why = nodes.fileOnlyReason(path);
    if (why !== null) filter.skip(path, why);
  }
}

function checkSchema(filter: SettingsFilter, { layers: { file }, features }: Origin): void {
  const schema = settingsWith(features);
  for (;;) {
    const raw = withoutOwnKeys(mergeOver(file.value, filter.set), features);
    const { error } = schema.safeParse(raw, PARSE_OPTIONS);
    const found = error === undefined ? [] : problemsIn(error, schema, PAGE_STYLE);
    const ours = found.flatMap(({ path, text }) => {
      const place = deepestOf(filter.set, path);
      // If the file sets the same place, its value won, so the mistake is the file's.
      const isFiles =
        place === null || (valueAt(file.value, place) !== undefined && !isObject(valueAt(filter.set, place)));
      return isFiles ? [] : [{ place, text, at: path }];
    });
    if (ours.length === 0) return;
    for (const { place, text, at } of ours) filter.skip(place, text, at);
  }
}

/** Skips all settings of a feature that rejects them. */
function checkFeatures(filter: SettingsFilter, { layers, features }: Origin): void {
  const schema = settingsWith(features);
  const { environment, file } = layers;
  for (const feature of features) {
    const keys = Object.keys(feature.settings.file ?? {}).filter((key) => Object.hasOwn(filter.set, key));
    if (keys.length === 0) continue;
    const raw = mergeOver(file.value, filter.set);
    const checked = schema.safeParse(withoutOwnKeys(raw, features));
    if (!checked.success) return;
    const written = { raw, checked: checked.data, environment: environment.value, fileName: file.name };
    const problems = configureFeatures([feature], written).flatMap((one) => one.problems);
    for (const key of problems.length > 0 ? keys : []) filter.skip([key], problems.join(" "));
  }
}

function resolved(filter: SettingsFilter, origin: Origin, check: CheckSettings): Config {
  const attempt = (set: Plain): Config | readonly string[] => {
    try {
      const config = configFrom(origin, set);
      const problems = check(config);
      return problems.length > 0 ? problems : config;
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
      throw error;
    }
  };
  const whole = attempt(filter.set);
  if (!isProblems(whole)) return whole;
  // A problem that exists without the page's settings is not caused by them.
  if (isProblems(attempt({}))) return configFrom(origin, filter.set);
  skipUnknownAgents(filter, (set) => messageOf(attempt(set)));
  for (const key of Object.keys(filter.set)) {
    const outcome = attempt(filter.set);
    if (!isProblems(outcome)) return outcome;
    filter.skip([key], outcome.join(" "));
  }
  return configFrom(origin, filter.set);
}

const isProblems = (outcome: Config | readonly string[]): outcome is readonly string[] => Array.isArray(outcome);
const messageOf = (outcome: Config | readonly string[]) => (isProblems(outcome) ? outcome.join(" ") : null);

/** Skips only the names of unknown agents, one by one. */
function skipUnknownAgents(filter: SettingsFilter, problemWith: (set: Plain) => string | null): void {
  const named = leafPaths(filter.set).filter((path) => path.at(-1) === "agentDefinition");
  let kept = named.reduce(withoutValue, filter.set);
  if (problemWith(kept) !== null) return;
  for (const path of named) {
    const more = withValue(kept, path, valueAt(filter.set, path));
    const problem = problemWith(more);
    if (problem === null) kept = more;
    else filter.skip(path, problem);
  }
}
