export interface Span {
  readonly from: number;
  readonly to: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Finds code in a Markdown text, both fenced blocks and inline code, in one pass over the lines. */
export function codeSpans(markdown: string): readonly Span[] {
  const spans: Span[] = [];
  let fence: { readonly mark: string; readonly from: number } | null = null;
  let at = 0;
  for (const line of markdown.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    const end = at + line.length;
    if (fence === null && mark !== undefined) fence = { mark, from: at };
    else if (fence === null) spans.push(...inlineSpans(line, at));
    else if (mark?.startsWith(fence.mark) === true && line.trim() === mark) {
      spans.push({ from: fence.from, to: end });
      fence = null;
    }
    at = end + 1;
  }
  return fence === null ? spans : [...spans, { from: fence.from, to: markdown.length }];
}

/** Finds inline code: a run of backticks is closed by the next run of the same length. */
function inlineSpans(line: string, at: number): Span[] {
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ from: run.index, length: run[0].length }));
  const spans: Span[] = [];
  const opened = new Map<number, number>();
  // Goes backwards, so that the next run of each length is already known. Of overlapping spans the earlier one wins.
  const closing = runs.toReversed().map((run) => {
    const close = opened.get(run.length);
    opened.set(run.length, run.from);
    return { from: run.from, to: close === undefined ? null : close + run.length };
  });
  let done = -1;
  for (const { from, to } of closing.toReversed()) {
    if (to === null || from < done) continue;
    spans.push({ from: at + from, to: at + to });
    done = to;
  }
  return spans;
}
