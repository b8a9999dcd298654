import type { SettingsOwner } from "../feature-settings.ts";
import type { Layers } from "../sources.ts";
import type { Path, Plain } from "./plain.ts";

/** A setting of the page that cannot take effect. */
export interface SkippedSetting {
  readonly path: Path;
  /** The exact place within it that is wrong. */
  readonly at: readonly PropertyKey[];
  /** The reason, as a sentence that does not name the path. */
  readonly why: string;
}

interface ResolvedSettings {
  readonly query: object;
  readonly warnings: readonly string[];
}

/** The page's settings, and their effect. */
export interface PageSettings {
  /** What was read when the program began, and the features that read it. */
  readonly origin: { readonly layers: Layers; readonly features: readonly SettingsOwner[] };
  /** Parts of the newest revision that are skipped. */
  readonly skipped: readonly SkippedSetting[];
  /** The valid part of the newest revision, whether in effect already or after a restart. */
  readonly set: Plain;
  /** The configuration as it would be after a restart. */
  readonly next: ResolvedSettings;
  /** Previews settings without changing anything. */
  preview(set: Plain): { readonly config: ResolvedSettings; readonly skipped: readonly SkippedSetting[] };
  /** Applies a new revision; null if there is none. */
  apply(newest: { readonly content: string | null } | null): void;
  /** Paths whose settings differ from those at the start and take effect only after a restart. */
  awaitingRestart(): readonly Path[];
  /** All settings, including defaults. */
  values(set: Plain): unknown;
}
