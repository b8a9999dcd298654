import type { SettingsOwner } from "../feature-settings.ts";
import type { Layers } from "../sources.ts";
import type { Path, Plain } from "./plain.ts";

/** What keeps something that was set on the page from coming into force. */
export interface LeftOut {
  readonly path: Path;
  /** The very place within it that is wrong. */
  readonly at: readonly PropertyKey[];
  /** A sentence that does not name the path. */
  readonly why: string;
}

/** Settings as the program has them, with warnings for the operator. */
interface ResolvedSettings {
  readonly query: object;
  readonly warnings: readonly string[];
}

/** What the page sets, and what comes of it. */
export interface PageSettings {
  /** What was read when the program began, and who reads what of it. */
  readonly origin: { readonly layers: Layers; readonly features: readonly SettingsOwner[] };
  /** What is left out of the newest revision. */
  readonly leftOut: readonly LeftOut[];
  /** What of the newest revision is good, whether it holds already or after a restart. */
  readonly set: Plain;
  /** As all would be after a restart. */
  readonly next: ResolvedSettings;
  /** What would come of these settings; nothing changes. */
  look(set: Plain): { readonly config: ResolvedSettings; readonly leftOut: readonly LeftOut[] };
  /** Another revision is the newest; null: there is none. */
  apply(newest: { readonly content: string | null } | null): void;
  /** Where what is set differs from what the program has begun with, and will hold after a restart. */
  awaitingRestart(): readonly Path[];
  /** All settings, with defaults where nothing is set. */
  values(set: Plain): unknown;
}
