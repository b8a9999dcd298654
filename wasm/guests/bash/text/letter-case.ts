/** Case conversions by the letters of sed's escapes, such as `\U`. */
const CASES: Readonly<Record<string, (text: string) => string>> = {
  U: (text) => text.toUpperCase(),
  L: (text) => text.toLowerCase(),
  E: (text) => text,
};

/** A replacement of sed's with `\U`, `\L`, `\E`, `\u` and `\l`; `expand` knows all else that it may hold. */
export function cased(replacement: string, expand: (part: string) => string): string {
  let whole = CASES["E"];
  let first: typeof whole;
  let output = "";
  for (const [part] of replacement.matchAll(/\\[^]|[^\\]+|\\/g)) {
    const letter = /^\\[ULEul]$/.test(part) ? part.slice(1) : "";
    if (letter === "u" || letter === "l") first = CASES[letter.toUpperCase()];
    else if (letter !== "") whole = CASES[letter];
    else {
      const text = whole?.(expand(part)) ?? "";
      output += (first?.(text.slice(0, 1)) ?? text.slice(0, 1)) + text.slice(1);
      if (text !== "") first = undefined;
    }
  }
  return output;
}
