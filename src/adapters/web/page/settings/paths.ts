import type { SettingPath } from "../../sessions/team-settings.ts";

/** `budgets.dayUsd` */
export function nameOf(path: SettingPath): string {
  return path.join(".");
}

/** A unique key of a path, whatever characters its names contain. */
export function keyOf(path: SettingPath): string {
  return JSON.stringify(path);
}

export function isWithin(inner: SettingPath, outer: SettingPath): boolean {
  return outer.every((part, index) => inner[index] === part);
}

/** A value as people read it. */
export function wordsFor(value: unknown): string {
  if (value === undefined || value === null) return "not set";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(wordsFor).join(", ");
  return JSON.stringify(value);
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/Usd$/u, "US dollars"],
  [/Mb$|Megabytes$/u, "MB"],
  [/Minutes$/u, "minutes"],
  [/Hours$/u, "hours"],
  [/[dD]ays$/u, "days"],
  [/Tokens$/u, "tokens"],
];

/** The unit of a number, if the setting's name tells it. */
export function unitOf(path: SettingPath): string | null {
  const name = path.at(-1) ?? "";
  return UNITS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
