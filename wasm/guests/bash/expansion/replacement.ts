interface Part {
  readonly type: string;
  readonly value?: string;
}

interface State {
  readonly shoptOptions: { readonly patsub_replacement?: boolean };
}

/** Stands for the match in a replacement; a variable of a shell cannot hold this character. */
const MATCH = "\0";
const QUOTED = /^(?:SingleQuoted|DoubleQuoted|Escaped)$/;

/** Expands the replacement of `${v/…/…}`, in which each `&` without quotes stands for the match. */
export async function replacementText(
  { shoptOptions }: State,
  parts: readonly Part[],
  expand: (parts: readonly Part[]) => Promise<string>,
): Promise<string> {
  if (shoptOptions.patsub_replacement === false) return expand(parts);
  let text = "";
  for (const part of parts) {
    const value = await expand([part]);
    if (QUOTED.test(part.type)) text += value;
    else if (part.type === "Literal") text += value.replaceAll("&", MATCH);
    else text += value.replace(/\\([\\&])|&/g, (_, escaped: string | undefined) => escaped ?? MATCH);
  }
  return text;
}

/** Replaces the placeholder of the match in an expanded replacement. */
export function withMatch(replacement: string, match: string): string {
  return replacement.includes(MATCH) ? replacement.replaceAll(MATCH, () => match) : replacement;
}

/** Number of compiled patterns that are kept. */
const MOST = 64;
const known = new Map<string, RegExp>();

/**
 * A compiled pattern, which a script often applies to many texts in a row. The engine's own is much faster than the
 * shell's, which never takes long for one that repeats several things.
 */
export function compiled(source: string, flags: string, compile: (source: string, flags: string) => RegExp): RegExp {
  const key = `${flags}/${source}`;
  const plain = source.replace(/\\[^]/g, "");
  const isFast = !/[(|]|[*+?{][^]*[*+?{]/.test(plain);
  const found = known.get(key) ?? (isFast ? ownRegex(source, flags) : null) ?? compile(source, flags);
  if (known.size >= MOST) known.clear();
  known.set(key, found);
  return found;
}

function ownRegex(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    return null;
  }
}

/** A text without its first match. */
export function withoutMatch(pattern: RegExp, text: string): string {
  const match = pattern.exec(text);
  return match === null ? text : text.slice(0, match.index) + text.slice(match.index + match[0].length);
}

/** A text with its matches replaced, but not an empty one at its end. */
export function replaced(text: string, pattern: RegExp, replacement: string): string {
  return text.replace(pattern, (match, at: number) =>
    match === "" && at === text.length && pattern.global ? "" : withMatch(replacement, match),
  );
}
