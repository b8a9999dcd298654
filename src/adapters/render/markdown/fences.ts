/** An open code fence, as its opening line wrote it. */
export interface Fence {
  /** The run of backticks or tildes. */
  readonly marker: string;
  /** First word of the info string; empty when there is none. */
  readonly language: string;
  /** White space before the marker. In a list item, all lines of the code begin with it. */
  readonly indent: string;
}

/** Opens a fence, at any indentation: models nest fences in list items. A backtick fence's info has no backtick. */
const OPENING = /^([ \t]*)(?:(`{3,})([^`\n]*)|(~{3,})(?!~)([^\n]*))$/u;

/** Default maximum length of a marker; longer runs than models write are treated as text. */
export const LONGEST_MARKER = 16;

/** Maximum length of a language that is repeated when a fence is reopened, in characters. */
const LANGUAGE_CHARS = 24;

function opens(line: string, longestMarker: number): Fence | null {
  const match = OPENING.exec(line);
  const marker = match?.[2] ?? match?.[4];
  if (marker === undefined || marker.length > longestMarker) return null;
  const language = (match?.[3] ?? match?.[5] ?? "").trim().split(/\s/u, 1)[0] ?? "";
  const indent = match?.[1] ?? "";
  return {
    marker,
    language: language.length > LANGUAGE_CHARS ? "" : language,
    indent: indent.length > longestMarker ? "" : indent,
  };
}

export function closes(line: string, fence: Fence): boolean {
  const text = line.trim();
  return text.length >= fence.marker.length && text === fence.marker.charAt(0).repeat(text.length);
}

/** The fence open after `line`, given the one open before it. Longer markers are treated as text. */
export function fenceAfterLine(open: Fence | null, line: string, longestMarker: number): Fence | null {
  if (open === null) return opens(line, longestMarker);
  return closes(line, open) ? null : open;
}

export function fenceAfter(open: Fence | null, text: string, longestMarker: number): Fence | null {
  return text.split("\n").reduce<Fence | null>((fence, line) => fenceAfterLine(fence, line, longestMarker), open);
}

/** The line that closes the code, indented like the fence. */
export function closingLine({ marker, indent }: Fence): string {
  return indent + marker;
}

/** The rest of a code block whose fence is reopened at the margin, without the indentation of the original fence. */
export function codeAtMargin(text: string, fence: Fence): string {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => closes(line, fence));
  const shown = lines.map((line, index) => {
    if (index === at) return line.trimStart();
    return at === -1 || index < at ? dedented(line, fence.indent.length) : line;
  });
  return shown.join("\n");
}

/** Removes the indentation of a line, at most `most` characters of it. */
export function dedented(line: string, most: number): string {
  return line.slice(Math.min(most, line.search(/[^ \t]|$/u)));
}
