import type { z } from "zod";

/** What the reference, the schema for editors and the messages about mistakes are made from. */
export interface SettingsSchema {
  /** Keys of the settings file. */
  readonly file?: Readonly<Record<string, z.ZodType>>;
  /** Variables of the environment. */
  readonly environment?: Readonly<Record<string, z.ZodType>>;
  /** Keys of the settings file that the feature checks by itself, whatever stands in them. */
  readonly ownKeys?: readonly string[];
  /** Keys of the settings file that the page shows and cannot set, and why, in a sentence. */
  readonly leftToFile?: Readonly<Record<string, string>>;
}

/** Who has settings: a feature, as far as these go. */
export interface SettingsOwner {
  readonly settings: SettingsSchema;
}

/** A port that a start takes, with the setting that names it. */
export interface Listener {
  readonly setting: string;
  /** The setting that names the host. */
  readonly hostSetting: string;
  readonly host: string;
  readonly port: number;
}
