/** A directory's name as frameworks have it, `(group)`, `[...rest]` or `[[...rest]]`: neither alternatives nor a class. */
const NAME = /(?<![!?*+@\\])\([^()|]*\)|\[?\[\.\.\.[^[\]/]*\]\]?/g;

/**
 * The patterns of what a model writes: `*.ts,*.tsx`, `*.ts *.tsx` and `{*.ts,*.tsx}` are two, and names of directories
 * mean themselves. By itself a pattern that begins with `**` matches at the top, too, which within braces it does not.
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
