import { readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.string().optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
      optionalDependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});

/**
 * `npm ci` rejects a lock file that lacks an optional platform package, whatever platform wrote it. Each must be listed
 * with the integrity of its tarball.
 */
export function lockProblems(root: string): string[] {
  const text = readFileSync(path.join(root, "package-lock.json"), "utf8");
  const { packages } = lockSchema.parse(JSON.parse(text));
  const present = Object.keys(packages);
  const names = new Set(present.map((key) => key.slice(key.lastIndexOf("node_modules/") + "node_modules/".length)));
  const missing = Object.entries(packages).flatMap(([key, entry]) =>
    Object.entries(entry.optionalDependencies ?? {})
      .filter(([name]) => !names.has(name))
      .map(([name, version]) => `package-lock.json lacks ${name}@${version}, which ${key || "package.json"} may need.`),
  );
  const unverified = Object.entries(packages)
    .filter(([key, entry]) => key !== "" && entry.link !== true && entry.integrity === undefined)
    .map(([key]) => `package-lock.json has no integrity for ${key}.`);
  return [...missing, ...unverified];
}
