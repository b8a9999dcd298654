import type { z } from "zod";

/** A feature's settings, from which the reference, the schema for editors and error messages are generated. */
export interface SettingsSchema {
  /** Keys of the settings file. */
  readonly file?: Readonly<Record<string, z.ZodType>>;
  readonly environment?: Readonly<Record<string, z.ZodType>>;
  /** Keys of the settings file that the feature validates itself. */
  readonly ownKeys?: readonly string[];
  /** Keys of the settings file that the page shows but cannot set, each with the reason as a sentence. */
  readonly fileOnly?: Readonly<Record<string, string>>;
}

/** The part of a feature that concerns settings. */
export interface SettingsOwner {
  readonly settings: SettingsSchema;
}

/** A port that a start listens on, with the setting that determines it. */
export interface Listener {
  readonly setting: string;
  readonly hostSetting: string;
  readonly host: string;
  readonly port: number;
}
