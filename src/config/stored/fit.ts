import { type Config, configFrom } from "../../config.ts";
import { ConfigError } from "../../core/protocol/errors.ts";
import { fromJson } from "../../core/text/from-json.ts";
import { configureFeatures, settingsWith, withoutOwnKeys } from "../features.ts";
import { dotted, IN_OUR_WORDS, type KeyStyle, problemsIn } from "../problems.ts";
import type { Origin } from "../resolve.ts";
import type { LeftOut } from "./page-settings.ts";
import {
  deepestOf,
  isPlain,
  leafPaths,
  mergeOver,
  type Path,
  type Plain,
  valueAt,
  without,
  withValue,
} from "./plain.ts";
import { type SettingsNodes, settingsNodes } from "./settable.ts";

/** The line shown in the terminal at each start, and by doctor. */
export function leftOutLine({ path, why }: LeftOut): string {
  const named = path.length === 0 ? "" : ` ${dotted(path)}:`;
  return `Set on the page, and left out:${named} ${why}`;
}

/** The part of a revision that can be in force. */
export interface Fitted {
  readonly config: Config;
  /** Without what is left out, but including what a file or the environment overrides. */
  readonly set: Plain;
  readonly leftOut: readonly LeftOut[];
}

/** Checks that need the whole program, such as whether a named agent exists. */
export type CheckSettings = (config: Config) => readonly string[];

/** Names settings of the page as in the file, without the file's name. */
export const PAGE_STYLE: KeyStyle = {
  label: dotted,
  example: (_path, value) => (typeof value === "string" ? value : JSON.stringify(value)),
};

const NOT_READ = "What is stored cannot be read.";

/**
 * Applies the page's settings beneath the file. Settings that are no longer valid, because the version or the file
 * changed, are left out without affecting the rest. Throws ConfigError if the layers above are invalid by themselves.
 */
export function fitStored(content: string | null, origin: Origin, check: CheckSettings): Fitted {
  const read = readContent(content);
  if (read === null) return { config: configFrom(origin, {}), set: {}, leftOut: [{ path: [], at: [], why: NOT_READ }] };
  return fitSettings(read, origin, check);
}

/** Null if it is not a JSON object. */
export function readContent(content: string | null): Plain | null {
  if (content === null) return {};
  const read = fromJson(content);
  return isPlain(read) ? read : null;
}

export function fitSettings(given: Plain, origin: Origin, check: CheckSettings): Fitted {
  // Skips the checks if nothing is set.
  if (Object.keys(given).length === 0) return { config: configFrom(origin, {}), set: {}, leftOut: [] };
  const fitting = new Fitting(given);
  leaveToFile(fitting, settingsNodes(origin.features));
  checkSchema(fitting, origin);
  checkFeatures(fitting, origin);
  const config = resolved(fitting, origin, check);
  return { config, set: fitting.set, leftOut: fitting.leftOut };
}

class Fitting {
  set: Plain;
  readonly leftOut: LeftOut[] = [];

  constructor(set: Plain) {
    this.set = set;
  }

  leave(path: Path, why: string, at: readonly PropertyKey[] = path): void {
    if (valueAt(this.set, path) === undefined) return;
    this.set = path.length === 0 ? {} : without(this.set, path);
    this.leftOut.push({ path, at, why });
  }
}

function leaveToFile(fitting: Fitting, nodes: SettingsNodes): void {
  for (const path of leafPaths(fitting.set)) {
    const why = nodes.whyLeft(path);
    if (why !== null) fitting.leave(path, why);
  }
}

function checkSchema(fitting: Fitting, { layers: { file }, features }: Origin): void {
  const schema = settingsWith(features);
  for (;;) {
    const raw = withoutOwnKeys(mergeOver(file.value, fitting.set), features);
    const { error } = schema.safeParse(raw, IN_OUR_WORDS);
    const found = error === undefined ? [] : problemsIn(error, schema, PAGE_STYLE);
    const ours = found.flatMap(({ path, text }) => {
      const place = deepestOf(fitting.set, path);
      // If the file sets the same place, its value won, so the mistake is the file's.
      const isFiles =
        place === null || (valueAt(file.value, place) !== undefined && !isPlain(valueAt(fitting.set, place)));
      return isFiles ? [] : [{ place, text, at: path }];
    });
    if (ours.length === 0) return;
    for (const { place, text, at } of ours) fitting.leave(place, text, at);
  }
}

/** Leaves out all settings of a feature that rejects them. */
function checkFeatures(fitting: Fitting, { layers, features }: Origin): void {
  const schema = settingsWith(features);
  const { environment, file } = layers;
  for (const feature of features) {
    const keys = Object.keys(feature.settings.file ?? {}).filter((key) => Object.hasOwn(fitting.set, key));
    if (keys.length === 0) continue;
    const raw = mergeOver(file.value, fitting.set);
    const checked = schema.safeParse(withoutOwnKeys(raw, features));
    if (!checked.success) return;
    const written = { raw, checked: checked.data, environment: environment.value, fileName: file.name };
    const problems = configureFeatures([feature], written).flatMap((one) => one.problems);
    for (const key of problems.length > 0 ? keys : []) fitting.leave([key], problems.join(" "));
  }
}

function resolved(fitting: Fitting, origin: Origin, check: CheckSettings): Config {
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
  const whole = attempt(fitting.set);
  if (!isProblems(whole)) return whole;
  // A problem that exists without the page's settings is not caused by them.
  if (isProblems(attempt({}))) return configFrom(origin, fitting.set);
  leaveUnknownAgents(fitting, (set) => messageOf(attempt(set)));
  for (const key of Object.keys(fitting.set)) {
    const outcome = attempt(fitting.set);
    if (!isProblems(outcome)) return outcome;
    fitting.leave([key], outcome.join(" "));
  }
  return configFrom(origin, fitting.set);
}

const isProblems = (outcome: Config | readonly string[]): outcome is readonly string[] => Array.isArray(outcome);
const messageOf = (outcome: Config | readonly string[]) => (isProblems(outcome) ? outcome.join(" ") : null);

/** Leaves out only the names of unknown agents, one by one. */
function leaveUnknownAgents(fitting: Fitting, problemWith: (set: Plain) => string | null): void {
  const named = leafPaths(fitting.set).filter((path) => path.at(-1) === "agentDefinition");
  let kept = named.reduce(without, fitting.set);
  if (problemWith(kept) !== null) return;
  for (const path of named) {
    const more = withValue(kept, path, valueAt(fitting.set, path));
    const problem = problemWith(more);
    if (problem === null) kept = more;
    else fitting.leave(path, problem);
  }
}
