import { z } from "zod";
import type { Feature } from "../feature.ts";
import type { NamedFeature } from "../open-features.ts";
import { environmentSchema } from "./environment.ts";
import type { SettingsOwner } from "./feature-settings.ts";
import { settingsSchema } from "./settings.ts";
import type { Environment } from "./sources.ts";

/** Combines the program's settings with those of features. */

export function settingsWith(features: readonly SettingsOwner[]) {
  return settingsSchema.extend(shapeOf(features, "file"));
}

export function environmentWith(features: readonly SettingsOwner[]) {
  return environmentSchema.extend(shapeOf(features, "environment"));
}

function shapeOf(features: readonly SettingsOwner[], source: "file" | "environment"): z.ZodRawShape {
  return Object.assign({}, ...features.map(({ settings }) => settings[source] ?? {}));
}

const record = z.record(z.string(), z.unknown());

/** A settings file without the keys that features validate themselves. */
export function withoutOwnKeys(file: unknown, features: readonly SettingsOwner[]): unknown {
  const own = new Set(features.flatMap(({ settings }) => settings.ownKeys ?? []));
  const parsed = record.safeParse(file);
  if (!parsed.success || own.size === 0) return file;
  return Object.fromEntries(Object.entries(parsed.data).filter(([key]) => !own.has(key)));
}

interface Written {
  /** The settings file as written. */
  readonly raw: unknown;
  /** The validated settings file. */
  readonly checked: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  readonly fileName: string;
}

export function configureFeatures(
  features: readonly Feature[],
  { raw, checked, environment, fileName }: Written,
): readonly NamedFeature[] {
  const written = record.safeParse(raw).data ?? {};
  return features.map((feature) => {
    const { name, settings } = feature;
    const own = settings.ownKeys ?? [];
    const file = { ...only(checked, Object.keys(settings.file ?? {})), ...only(written, own) };
    return { ...feature.configure({ file, environment, fileName }), name };
  });
}

/** The given keys that are set. */
function only(values: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((key) => values[key] !== undefined).map((key) => [key, values[key]]));
}
