import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

const versions = z.record(z.string(), z.string()).default({});
const packageSchema = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
});

const REASONS = "docs/adr/dependencies.md";
const EXACT = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

/** Each dependency must have an exact version and a line that explains it; no line may outlive its dependency. */
export function dependencyProblems(root: string): string[] {
  const parsed = packageSchema.parse(JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")));
  const dependencies = { ...parsed.dependencies, ...parsed.devDependencies, ...parsed.optionalDependencies };
  const explained = explainedPackages(readFileSync(path.join(root, REASONS), "utf8"));
  return [
    ...Object.keys(dependencies)
      .filter((name) => !explained.has(name))
      .map((name) => `${REASONS} has no line for ${name}: what is it for, and what else was looked at?`),
    ...[...explained]
      .filter((name) => dependencies[name] === undefined)
      .map((name) => `${REASONS} explains ${name}, which package.json does not have.`),
    ...Object.entries(dependencies)
      .filter(([, version]) => !EXACT.test(version))
      .map(([name, version]) => `package.json: ${name} is "${version}"; pin one version.`),
  ];
}

/** Package names in the first column of the tables. */
function explainedPackages(markdown: string): Set<string> {
  const cells = markdown.split("\n").flatMap((line) => /^\| (`[^|]+) \|/.exec(line)?.[1] ?? []);
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].flatMap((match) => match[1] ?? [])));
}
