export interface Span {
  readonly from: number;
  readonly to: number;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** Where a Markdown text is code: fenced blocks, and code within a line. In one pass over the lines. */
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

/** A run of backticks opens code that the next run of the same length closes. */
function inlineSpans(line: string, at: number): Span[] {
  const runs = [...line.matchAll(/`+/g)].map((run) => ({ from: run.index, length: run[0].length }));
  const spans: Span[] = [];
  for (let open = 0; open < runs.length; open++) {
    const first = runs[open];
    const close = runs.findIndex((run, index) => index > open && run.length === first?.length);
    const last = runs[close];
    if (first === undefined || last === undefined) continue;
    spans.push({ from: at + first.from, to: at + last.from + last.length });
    open = close;
  }
  return spans;
}
