/** What files begin with, mostly of Windows: that they are UTF-8. */
const MARK = "\uFEFF";

/** A content as it is put in a text's place: with what `read` does not show, a byte order mark and line ends of CRLF. */
export function inFormOf(old: string, content: string): string {
  const text = content.includes("\r\n") || !hasCrlfAlone(old) ? content : content.replaceAll("\n", "\r\n");
  return old.startsWith(MARK) && !text.startsWith(MARK) ? `${MARK}${text}` : text;
}

function hasCrlfAlone(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}
