import type { z } from "zod";
import type { SettingsOwner } from "../feature-settings.ts";
import { settingsWith } from "../features.ts";
import { holdsSecret, nodeOf, type SchemaNode } from "../schema-node.ts";
import type { Path } from "./plain.ts";

/** The schema of settings, and which of them the page may set. */
export interface SettingsNodes {
  /** All keys of the settings file except `$schema`. */
  readonly keys: readonly string[];
  /** The JSON Schema of a key; null if there is no such key. */
  node(key: string): SchemaNode | null;
  /** Why the page may not set this, as a sentence; null if it may. */
  fileOnlyReason(path: Path): string | null;
}

const SECRET = "It contains a key, so it can only be set in the environment or the settings file.";
const DEFINITION = "Only the name of an agent can be set here; a definition goes under agents.";
const IN_FILE = "It can only be set in the settings file.";

/** Settings that could lock people out, or expose more of the machine, need access to its files. `*` is any name. */
const FILE_ONLY: Readonly<Record<string, string>> = {
  $schema: IN_FILE,
  web: "It could lock everybody out of this page, so it can only be set in the settings file.",
  confinement: "It isolates tools from this machine, so it can only be set in the settings file.",
  "channels.*.directory":
    "It gives tools access to a directory on this machine, so it can only be set in the settings file.",
  "agentDefinition.*": DEFINITION,
  "channels.*.agentDefinition.*": DEFINITION,
  maxBudgetUsd: "It is the same as budgets.runUsd: set that instead.",
};

/** The schema of each key is generated on first use. */
export function settingsNodes(features: readonly SettingsOwner[]): SettingsNodes {
  const shape: z.ZodRawShape = settingsWith(features).shape;
  const ownKeys = features.flatMap(({ settings }) => settings.ownKeys ?? []);
  const left: Readonly<Record<string, string>> = Object.assign(
    Object.fromEntries(ownKeys.map((key) => [key, IN_FILE])),
    ...features.map(({ settings }) => settings.fileOnly ?? {}),
    FILE_ONLY,
  );
  const made = new Map<string, SchemaNode>();
  const node = (key: string): SchemaNode | null => {
    const schema = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (schema === undefined) return null;
    const known = made.get(key) ?? nodeOf(schema);
    made.set(key, known);
    return known;
  };
  return {
    keys: Object.keys(shape).filter((key) => key !== "$schema"),
    node,
    fileOnlyReason([key = "", ...rest]) {
      const named = Object.entries(left).find(([pattern]) => isAt(pattern.split("."), [key, ...rest]));
      if (named !== undefined) return named[1];
      const root = node(key);
      return root !== null && holdsSecret(root) ? SECRET : null;
    },
  };
}

/** Whether a path matches a pattern, or lies within it. */
function isAt(pattern: readonly string[], path: Path): boolean {
  return pattern.every((part, index) => path[index] !== undefined && (part === "*" || part === path[index]));
}
