import { matchesWildcard } from "../../core/text/wildcard.ts";
import { comparableName } from "../wasm/workspace/path-rules.ts";

/**
 * Compiles the settings' patterns of guarded files. A name matches at any depth and a path from the sandbox root on;
 * `*` matches any characters within one name, and a directory includes all its contents. The path is given as the
 * comparable names on its way from the sandbox root.
 */
export function compileGuarded(patterns: readonly string[]): (names: readonly string[]) => boolean {
  const guarded = patterns.map(patternOf);
  return (names) =>
    guarded.some(({ segments, isAnywhere }) =>
      isAnywhere
        ? names.some((name) => matchesWildcard(segments[0] ?? [], name))
        : names.length >= segments.length && segments.every((segment, at) => matchesWildcard(segment, names[at] ?? "")),
    );
}

interface Pattern {
  /** Each name as the parts between its stars. */
  readonly segments: readonly (readonly string[])[];
  /** It is one name, which matches at any depth. */
  readonly isAnywhere: boolean;
}

function patternOf(pattern: string): Pattern {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  return {
    segments: segments.map((segment) => comparableName(segment).split("*")),
    isAnywhere: segments.length === 1 && !pattern.slice(0, -1).includes("/"),
  };
}
