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
