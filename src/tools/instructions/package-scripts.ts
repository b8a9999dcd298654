import { fromJson } from "../../core/text/from-json.ts";
import { comparableName } from "../wasm/workspace/path-rules.ts";

/** Fields of package.json whose contents package managers and hooks run. */
const RUN = [
  "scripts",
  "bin",
  "gypfile",
  "husky",
  "lint-staged",
  "simple-git-hooks",
  "pre-commit",
  "gitHooks",
  "workspaces",
];

/**
 * Whether a change to a file changes what runs on developers' machines, i.e. the scripts of a package.json outside
 * node_modules.
 */
export function changesScripts(path: string, before: string | null, after: string): boolean {
  return isPackageFile(path) && before !== after && scriptsOf(before ?? "{}") !== scriptsOf(after);
}

export function isPackageFile(path: string): boolean {
  const names = path.split("/").map(comparableName);
  return names.at(-1) === "package.json" && !names.includes("node_modules");
}

/** Text that is not valid JSON is compared as a whole. */
function scriptsOf(text: string): string {
  const read = fromJson(text);
  if (typeof read !== "object" || read === null) return text;
  const known = new Map<string, unknown>(Object.entries(read));
  return JSON.stringify(RUN.map((name) => known.get(name) ?? null));
}
