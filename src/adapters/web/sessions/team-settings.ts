/** The operator's settings, as the page shows and changes them. */
export interface TeamSettings {
  /** Number of the newest revision; 0 if nothing was ever set on the page. */
  readonly number: number;
  /** Whether the viewer may change them. */
  readonly mayChange: boolean;
  readonly settings: readonly ShownSetting[];
  /** Settings from the page that are no longer valid. */
  readonly leftOut: readonly SettingProblem[];
  /** Settings changed since the start that take effect after a restart. */
  readonly awaiting: readonly SettingPath[];
  /** Differences to the settings of other processes on the database, one line each. */
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
  /** The value in effect, or after a restart; undefined if none is set and there is no default. */
  readonly value?: unknown;
  /** The value set on the page, even if a stronger source overrides it. */
  readonly set?: unknown;
  readonly from: SettingSource;
  /** Why it cannot be set here; null if it can. */
  readonly locked: string | null;
  readonly holdsAtOnce: boolean;
  /** Set if there is a value that the page does not show. */
  readonly isHidden?: true;
  /** Values from the file for the names of a record. */
  readonly inFile?: Readonly<Record<string, unknown>>;
}

/** `by` is the name of the variable or the file. */
export type SettingSource =
  | { readonly type: "default" }
  | { readonly type: "page" }
  | { readonly type: "above"; readonly by: string };

export type SettingControl =
  | { readonly type: "switch" }
  | { readonly type: "choice"; readonly options: readonly string[] }
  | { readonly type: "number"; readonly isWhole: boolean; readonly least?: number; readonly most?: number }
  | { readonly type: "text" }
  /** A list of texts; a text that begins with `{` is an object. */
  | { readonly type: "list" }
  /** Values under names that people choose. */
  | { readonly type: "record"; readonly of: "text" | "object" };

/** One change of a draft; without a value it removes the page's setting. */
export interface SettingChange {
  readonly path: SettingPath;
  readonly value?: unknown;
}

/** One difference between two revisions; undefined means not set. */
export interface SettingDifference {
  readonly path: SettingPath;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly holdsAtOnce: boolean;
}

/** The result of checking a draft. */
export interface CheckedSettings {
  readonly problems: readonly SettingProblem[];
  readonly differences: readonly SettingDifference[];
  /** Suspicious settings that are nevertheless valid. */
  readonly warnings: readonly string[];
}

/** The outcome of saving a draft. */
export type SavedSettings =
  | { readonly type: "saved"; readonly number: number }
  | { readonly type: "refused"; readonly problems: readonly SettingProblem[] }
  /** Somebody else has saved first; `since` lists the differences since the draft's revision. */
  | { readonly type: "conflict"; readonly newest: SettingsRevision; readonly since: readonly SettingDifference[] };

export interface SettingsRevision {
  readonly number: number;
  readonly by: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Settings that differ from the previous revision. */
  readonly changed: readonly SettingPath[];
}

export interface OldSettings extends Omit<SettingsRevision, "changed"> {
  readonly differences: readonly SettingDifference[];
  /** Changes that restore this revision; empty if the current settings equal it. */
  readonly restoring: readonly SettingChange[];
}
