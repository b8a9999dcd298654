import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const MIGRATIONS = "prisma/postgresql/migrations";

/** Migrations after this one must allow two releases to run side by side. */
const SINCE = "20261125000000";

/** Statements that break processes of the previous release, with an alternative for each. */
const BREAKING: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: /\bDROP\s+(?:TABLE|COLUMN|SCHEMA)\b/iu, why: "the release before reads it: drop it one release later" },
  { pattern: /\bRENAME\b/iu, why: "the release before knows the old name: add the new one beside it" },
  { pattern: /\bSET\s+NOT\s+NULL\b/iu, why: "the release before may leave it out: give it a default first" },
  {
    pattern: /\bADD\s+COLUMN(?:(?!DEFAULT)[^,;])*\bNOT\s+NULL\b(?![^,;]*\bDEFAULT\b)/iu,
    why: "the release before does not write it: give it a default",
  },
  { pattern: /\bALTER\s+COLUMN\s+\S+\s+(?:SET\s+DATA\s+)?TYPE\b/iu, why: "the release before writes the old type" },
];

/**
 * Reports migrations that break the previous release: during a rollout its processes keep using the migrated database.
 */
export function migrationProblems(root: string): string[] {
  const directory = path.join(root, MIGRATIONS);
  const names = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name > SINCE)
    .map(({ name }) => name);
  return names.flatMap((name) =>
    problemsOf(readFileSync(path.join(directory, name, "migration.sql"), "utf8")).map(
      (problem) => `${MIGRATIONS}/${name}: ${problem}`,
    ),
  );
}

export function problemsOf(sql: string): string[] {
  const statements = sql.replaceAll(/--.*$/gmu, "");
  return BREAKING.flatMap(({ pattern, why }) => {
    const found = pattern.exec(statements)?.[0];
    return found === undefined ? [] : [`${found.replaceAll(/\s+/gu, " ")}: ${why}.`];
  });
}
