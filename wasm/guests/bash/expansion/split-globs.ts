import type { Expanded, WordPart } from "./word.ts";

type ExpandPart<State> = (state: State, part: WordPart) => Promise<string>;

const QUOTED = /^(?:SingleQuoted|DoubleQuoted|Escaped)$/;

/**
 * An expansion of parts for a word that is split into fields and then taken for file name patterns: a backslash
 * precedes characters that are not part of a pattern because they are quoted, and backslashes. `separators`: IFS.
 */
export function asPatterns<State>(expandPart: ExpandPart<State>, separators: string): ExpandPart<State> {
  return async (state, part) => {
    const text = await expandPart(state, part);
    if (QUOTED.test(part.type)) return text.replace(/[*?[\]\\()|]/g, "\\$&");
    return part.type === "Glob" || separators.includes("\\") ? text : text.replaceAll("\\", "\\\\");
  };
}

/** The files that each pattern matches; the pattern's text for a pattern that matches none. */
export async function matchEach(
  patterns: readonly string[],
  match: (patterns: readonly string[]) => Promise<Expanded>,
): Promise<Expanded> {
  const values: string[] = [];
  for (const pattern of patterns) {
    const text = pattern.replace(/\\([^])/g, "$1");
    // Without a character that is not quoted, it is no pattern for `nullglob` and `failglob` either.
    const isPattern = /[*?[(]/.test(pattern.replace(/\\[^]/g, ""));
    const found = isPattern ? (await match([pattern])).values : [pattern];
    values.push(...(found.length === 1 && found[0] === pattern ? [text] : found));
  }
  return { values, quoted: false };
}
