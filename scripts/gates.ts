import path from "node:path";
import { boundaryProblems } from "./gates/boundaries.ts";
import { dependencyProblems } from "./gates/dependencies.ts";
import { lockProblems } from "./gates/lock.ts";
import { migrationProblems } from "./gates/migrations.ts";
import { modelProblems } from "./gates/models.ts";
import { pathProblems } from "./gates/paths.ts";
import { patternProblems } from "./gates/patterns.ts";
import { textProblems } from "./gates/text.ts";

/** Runs the project's own gates, either all or the named ones: `node scripts/gates.ts boundaries lock`. */

const GATES: Readonly<Record<string, (root: string) => string[]>> = {
  boundaries: boundaryProblems,
  dependencies: dependencyProblems,
  lock: lockProblems,
  migrations: migrationProblems,
  models: modelProblems,
  paths: pathProblems,
  patterns: patternProblems,
  text: textProblems,
};

const root = path.resolve(import.meta.dirname, "..");
const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : Object.keys(GATES)) {
  const gate = GATES[name];
  const problems = gate === undefined ? [`there is no gate ${name}: ${Object.keys(GATES).join(", ")}`] : gate(root);
  for (const problem of problems) console.error(`${name}: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}
