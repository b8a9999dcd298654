/** Matches the control characters and single bytes, for which bash quotes a text as `$'…'`. */
const CONTROL = /[^\P{Cc}\u0080-\u009f]|[\udc80-\udcff]/u;
const BYTE = 0xff;
const LETTERS = new Map(Array.from("abtnvfr", (letter, at) => [String.fromCharCode(7 + at), letter]));

/** Quotes a text as `${v@Q}` does. */
export function quoted(text: string): string {
  return CONTROL.test(text) ? escapedControls(text) : singleQuoted(text);
}

/** Quotes a text as `declare -p` does. */
export function doubleQuoted(text: string): string {
  return CONTROL.test(text) ? escapedControls(text) : `"${text.replace(/[\\"$`]/g, "\\$&")}"`;
}

/** Quotes a text as `printf %q` does. */
export function backslashed(text: string): string {
  if (text === "") return "''";
  if (CONTROL.test(text)) return escapedControls(text);
  return text.replace(/[ '"\\|&;()<>!{}*[\]?^$`,]|^[#~]|(?<=[:=])~/g, "\\$&");
}

function escapedControls(text: string): string {
  const escape = (found: string): string => {
    if (/['\\]/.test(found)) return `\\${found}`;
    const octal = (found.charCodeAt(0) & BYTE).toString(8).padStart(3, "0");
    return `\\${found === "\x1b" ? "E" : (LETTERS.get(found) ?? octal)}`;
  };
  return `$'${text.replace(/['\\]|[^\P{Cc}\u0080-\u009f]|[\udc80-\udcff]/gu, escape)}'`;
}

/** A text in single quotes, as one word of a command. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
