import { linesOf } from "./lines.ts";

/** A line with its number, as shown by read and by other tools. */
const NUMBERED = /^ *\d+(?:\t|\u2192|: )/;

/** Explains a failed edit by what models most often get wrong: line numbers, escapes, look-alikes, white space. */
export function notFound(text: string, wanted: string, path: string): string {
  return `old_string does not occur in ${path}. ${hintFor(text, wanted)}`;
}

function hintFor(text: string, wanted: string): string {
  const wantedLines = linesOf(wanted);
  const unnumbered = wantedLines.map((line) => line.replace(NUMBERED, "")).join("\n");
  if (wantedLines.every((line) => NUMBERED.test(line)) && text.includes(unnumbered))
    return "Its lines begin with the numbers that read adds: leave them out.";
  const unescaped = wanted.replaceAll(/\\(["'nt\\])/g, (_, char: string) => ESCAPED[char] ?? char);
  if (unescaped !== wanted && text.includes(unescaped))
    return "It is escaped once too often: the file has line ends, tabs, quotes or backslashes where it has escapes.";
  const first = wantedLines.map((line) => line.trim()).find((line) => line !== "");
  if (first === undefined) return COPY;
  const lines = linesOf(text).map((line) => line.trim());
  const near = lines.indexOf(first);
  if (near !== -1) return `A similar line is line ${near + 1}: compare white space and the lines after it.`;
  const alike = lines.findIndex((line) => plain(line) === plain(first));
  return alike === -1 ? COPY : difference(lines[alike] ?? "", first, alike + 1);
}

const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t" };
const COPY = "Read the file again and copy the text exactly.";

/** Replaces similar-looking characters by one of them. */
function plain(line: string): string {
  return line
    .normalize("NFKC")
    .replaceAll(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replaceAll(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replaceAll(/[\u2010\u2011\u2012\u2013\u2014\u2212]/g, "-")
    .replaceAll(/\s+/g, " ");
}

function difference(line: string, wanted: string, number: number): string {
  let at = 0;
  while (at < wanted.length && line[at] === wanted[at]) at++;
  return `Line ${number} looks the same, but has ${named(line, at)} where old_string has ${named(wanted, at)}.`;
}

function named(text: string, at: number): string {
  const point = text.codePointAt(at);
  return point === undefined ? "nothing" : `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
}
