import { textKeepingBytes, textOfEachByte, utf8Bytes } from "../runtime/text-encoding.ts";

/** Looks up a variable of a shell or of a command's environment. */
type Lookup = (name: string) => string | undefined;

/**
 * Whether each byte is a character, as in the locale `C`; otherwise characters are those of UTF-8, also if no locale is
 * named. The first of these variables that is not empty decides. Source: POSIX, Environment Variables,
 * Internationalization Variables.
 */
export function isByteLocale(lookup: Lookup): boolean {
  const name = lookup("LC_ALL") || lookup("LC_CTYPE") || lookup("LANG") || "";
  return name === "C" || name === "POSIX";
}

/** Whether each byte is a character for a command. */
export function hasByteCharacters({ exportedEnv }: { exportedEnv?: Readonly<Record<string, string>> }): boolean {
  return exportedEnv !== undefined && isByteLocale((name) => exportedEnv[name]);
}

/** A text with the characters that it has in the shell's locale. */
export function inLocale(variables: ReadonlyMap<string, string>, text: string): string {
  return isByteLocale((name) => variables.get(name)) ? eachByte(text) : whole(text);
}

/** A command's arguments with the characters that they have in its locale. */
export function argumentsInLocale(args: readonly string[], context: Parameters<typeof hasByteCharacters>[0]): string[] {
  return hasByteCharacters(context) ? args.map(eachByte) : [...args];
}

/** A text whose characters are its bytes. */
export function eachByte(text: string): string {
  return textOfEachByte(utf8Bytes(text));
}

/** Escapes of bytes beyond ASCII, by the command whose programs may contain them. */
const ESCAPED_BYTES = {
  awk: /(?:\\(?:x[89a-f][\da-f]|[23][0-7]{2}))+|\\[^]/gi,
  sed: /(?:\\x[89a-f][\da-f])+|\\[^]/gi,
} as const;

/** Replaces escapes of bytes beyond ASCII, such as those of a byte order mark, by the characters that they form. */
export function withByteEscapes(program: string, language: keyof typeof ESCAPED_BYTES): string {
  return program.replace(ESCAPED_BYTES[language], (found) => {
    if (found.length < "\\377".length) return found;
    const bytes = found.replace(/\\(?:x(..)|(...))/gi, (_, hex: string | undefined, octal: string) =>
      String.fromCharCode(hex === undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex, 16)),
    );
    return textKeepingBytes(bytes);
  });
}

/** A text whose bytes that form characters are these characters again. */
export function whole(text: string): string {
  return text.isWellFormed() ? text : textKeepingBytes(utf8Bytes(text));
}

/** The same for the words of a command. */
export function wholeWords<Words extends { readonly values: readonly string[] }>(words: Words): Words {
  return words.values.every((word) => word.isWellFormed()) ? words : { ...words, values: words.values.map(whole) };
}
