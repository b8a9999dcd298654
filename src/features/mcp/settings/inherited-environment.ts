import type { Environment } from "../../../config/sources.ts";

/** Variables that programs need to run and to find their files. None of them is secret. */
export const INHERITED_VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TMPDIR",
  "TZ",
  "SystemRoot",
  "COMSPEC",
  "PATHEXT",
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "TEMP",
];

/** The part of the bot's environment that every server's program gets. */
export function inheritedEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(
    INHERITED_VARIABLES.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
