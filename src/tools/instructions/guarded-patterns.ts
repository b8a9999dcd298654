import { comparableName } from "../wasm/workspace/path-rules.ts";

/** Whether an operator guards a path, given as the comparable names on its way from the sandbox root. */
export type IsGuarded = (names: readonly string[]) => boolean;

/**
 * Compiles the settings' patterns of guarded files. A name matches at any depth and a path from the sandbox root on;
 * `*` matches any characters within one name, and a directory includes all its contents.
 */
export function compileGuarded(patterns: readonly string[]): IsGuarded {
  const guarded = patterns.map(patternOf);
  return (names) =>
    guarded.some(({ segments, isAnywhere }) => {
      const last = isAnywhere ? names.length - segments.length : 0;
      for (let from = 0; from <= last; from++) {
        if (segments.every((segment, at) => matches(segment, names[from + at]))) return true;
      }
      return false;
    });
}

interface Pattern {
  /** Each name as the parts between its stars. */
  readonly segments: readonly (readonly string[])[];
  readonly isAnywhere: boolean;
}

function patternOf(pattern: string): Pattern {
  const segments = pattern.split("/").filter((segment) => segment !== "" && segment !== ".");
  return {
    segments: segments.map((segment) => comparableName(segment).split("*")),
    isAnywhere: segments.length === 1 && !pattern.slice(0, -1).includes("/"),
  };
}

function matches([first = "", ...parts]: readonly string[], name: string | undefined): boolean {
  if (name === undefined) return false;
  const last = parts.pop();
  if (last === undefined) return name === first;
  let at = first.length;
  for (const part of parts) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.startsWith(first) && name.length - at >= last.length && name.endsWith(last);
}
