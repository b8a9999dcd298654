/** The operator's settings, as the page shows and changes them. */
export interface TeamSettings {
  /** The newest revision's; 0: nothing was ever set on the page. */
  readonly number: number;
  /** Whether the viewer may change them. */
  readonly mayChange: boolean;
  readonly settings: readonly ShownSetting[];
  /** What was set on the page and no longer holds. */
  readonly leftOut: readonly SettingProblem[];
  /** What was set since the program began, and holds once it begins anew. */
  readonly awaiting: readonly SettingPath[];
  /** How the settings of other processes on the database differ, a line for each. */
  readonly elsewhere: readonly string[];
  readonly fileName: string;
}

/** Names from the outermost on: `["budgets", "dayUsd"]`. */
export type SettingPath = readonly string[];

export interface SettingProblem {
  readonly path: SettingPath;
  /** A sentence that does not name the path. */
  readonly text: string;
}

export interface ShownSetting {
  readonly path: SettingPath;
  readonly control: SettingControl;
  readonly description: string;
  readonly example?: unknown;
  /** What holds, or will after a restart; undefined: nothing is set and there is no default. */
  readonly value?: unknown;
  /** What the page has set, also where something above it wins. */
  readonly set?: unknown;
  readonly from: SettingSource;
  /** Why it cannot be set here; null: it can. */
  readonly locked: string | null;
  readonly holdsAtOnce: boolean;
  /** There is a value, and nobody sees it here. */
  readonly isHidden?: true;
  /** What the file has of each name of a record. */
  readonly inFile?: Readonly<Record<string, unknown>>;
}

/** `by`: the variable's or the file's name. */
export type SettingSource =
  | { readonly type: "default" }
  | { readonly type: "page" }
  | { readonly type: "above"; readonly by: string };

export type SettingControl =
  | { readonly type: "switch" }
  | { readonly type: "choice"; readonly options: readonly string[] }
  | { readonly type: "number"; readonly isWhole: boolean; readonly least?: number; readonly most?: number }
  | { readonly type: "text" }
  /** A list of texts; one that begins with `{` is an object. */
  | { readonly type: "list" }
  /** Names that people choose, and what is set of each. */
  | { readonly type: "record"; readonly of: "text" | "object" };

/** One change of a draft; without a value, what the page has set is taken back. */
export interface SettingChange {
  readonly path: SettingPath;
  readonly value?: unknown;
}

/** One place where two revisions differ; undefined: nothing is set there. */
export interface SettingDifference {
  readonly path: SettingPath;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly holdsAtOnce: boolean;
}

/** What would come of a draft. */
export interface CheckedSettings {
  readonly problems: readonly SettingProblem[];
  readonly differences: readonly SettingDifference[];
  /** Nothing is wrong, but something looks it. */
  readonly warnings: readonly string[];
}

/** What came of saving a draft. */
export type SavedSettings =
  | { readonly type: "saved"; readonly number: number }
  | { readonly type: "refused"; readonly problems: readonly SettingProblem[] }
  /** Somebody else has saved before: what, since the number that the draft is of. */
  | { readonly type: "conflict"; readonly newest: SettingsRevision; readonly since: readonly SettingDifference[] };

export interface SettingsRevision {
  readonly number: number;
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Where it differs from the one before. */
  readonly changed: readonly SettingPath[];
}

export interface OldSettings extends Omit<SettingsRevision, "changed"> {
  readonly differences: readonly SettingDifference[];
  /** What makes today's settings these again; empty where they are. */
  readonly restoring: readonly SettingChange[];
}
