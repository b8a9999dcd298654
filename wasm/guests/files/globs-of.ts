/**
 * A directory name in frameworks' style, `(group)`, `[...rest]` or `[[...rest]]`, which is neither a list of
 * alternatives nor a class.
 */
const NAME = /(?<![!?*+@\\])\([^()|]*\)|\[?\[\.\.\.[^[\]/]*\]\]?/g;

/**
 * Splits what a model writes into patterns: `*.ts,*.tsx`, `*.ts *.tsx` and `{*.ts,*.tsx}` are two, and directory names
 * are literal. A separate pattern that begins with `**` also matches at the top, which it would not within braces.
 */
export function globsOf(written: string): string[] {
  return partsOf(written).map((part) => part.replace(NAME, (name) => name.replace(/[()[\]]/g, "\\$&")));
}

function partsOf(written: string): string[] {
  const inner = written.slice(1, -1);
  if (written.startsWith("{") && written.endsWith("}") && !/[{}]/.test(inner)) return inner.split(",");
  const words = /[{}]/.test(written) ? [] : written.split(/[\s,]+/).filter((part) => part !== "");
  return words.length > 1 && words.every((part) => part.includes("*")) ? words : [written];
}
