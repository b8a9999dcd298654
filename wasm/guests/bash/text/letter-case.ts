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

/**
 * A text in upper case. Letters change one by one as in C: those whose other case has several letters, such as ß, stay as
 * they are.
 */
export function upperCase(text: string): string {
  return letterByLetter(text, (part) => part.toUpperCase());
}

/** A text in lower case, letter by letter as well; of several letters, the first is the one that C has. */
export function lowerCase(text: string): string {
  return letterByLetter(text, (part) => (part.length === 1 ? part.toLowerCase().slice(0, 1) : part.toLowerCase()));
}

function letterByLetter(text: string, change: (part: string) => string): string {
  if (/^[\0-\x7f]*$/.test(text)) return change(text);
  return Array.from(text, (letter) => {
    const changed = change(letter);
    return Array.from(changed).length === 1 ? changed : letter;
  }).join("");
}
