const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Printable ASCII, the usual case. */
const NARROW = /^[ -~]*$/u;

/** Width of a text in a monospaced font, in columns. The text contains no ANSI codes. */
export function columnsOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  let columns = 0;
  for (const { segment } of graphemes.segment(text))
    if (!NOTHING_SHOWN.test(segment)) columns += WIDE.test(segment) ? 2 : 1;
  return columns;
}

/** Characters two columns wide: East Asian wide and fullwidth ones, and emoji. Source: Unicode, UAX #11. */
const WIDE =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const NOTHING_SHOWN = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
