/** Byte order mark of UTF-8, with which mostly Windows files begin. */
const MARK = "\uFEFF";

/**
 * Gives new content the invisible features of the text it replaces: a byte order mark and CRLF line ends, which `read`
 * does not show.
 */
export function inFormOf(old: string, content: string): string {
  const text = content.includes("\r\n") || !hasCrlfAlone(old) ? content : content.replaceAll("\n", "\r\n");
  return old.startsWith(MARK) && !text.startsWith(MARK) ? `${MARK}${text}` : text;
}

function hasCrlfAlone(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}
