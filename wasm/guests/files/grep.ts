import { Refusal, splitPaths, type Workspace } from "../workspace.ts";
import { extensionsOf } from "./file-types.ts";
import { beneath, matcher, type TextReply } from "./glob.ts";
import { globsOf } from "./globs-of.ts";
import { cutLine } from "./lines.ts";
import { coveredLines, firstLine, type Line, matchingLines, nextLine } from "./match-lines.ts";
import { compile, type Pattern } from "./pattern.ts";
import type { GrepRequest } from "./request.ts";
import { shownPath } from "./shown-path.ts";
import { walk } from "./walk.ts";

/** Maximum characters of a displayed line, so that a match in a minified file does not fill the answer. */
const LINE_CHARS = 500;
/** Characters of such a line that are shown before the match. */
const CHARS_BEFORE = 100;
/** Maximum characters of one answer. */
const ANSWER_CHARS = 40_000;

/** Collects a page of entries, and knows whether there are more. */
class Page {
  readonly entries: string[] = [];
  readonly #offset: number;
  readonly #limit: number;
  #seen = 0;
  #chars = 0;

  constructor({ offset, limit }: GrepRequest) {
    this.#offset = offset;
    this.#limit = limit;
  }

  /** Adds an entry; false if the page is full and the entry is left for the next one. */
  add(entry: string): boolean {
    if (this.#seen < this.#offset) {
      this.#seen++;
      return true;
    }
    if (this.entries.length === this.#limit || this.#chars + entry.length > ANSWER_CHARS) return false;
    this.entries.push(entry);
    this.#seen++;
    this.#chars += entry.length + 1;
    return true;
  }

  get next(): number {
    return this.#seen;
  }
}

interface FoundIn {
  readonly path: string;
  readonly text: string;
  readonly found: readonly Line[];
  readonly regex: RegExp;
}

export function grep(workspace: Workspace, request: GrepRequest): TextReply {
  const pattern = compile(request.pattern, request);
  const { paths, notes } = candidates(workspace, request);
  const page = new Page(request);
  let matches = 0;
  let files = 0;
  let full = false;
  for (const { path, text, skipped } of texts(workspace, paths, pattern)) {
    if (skipped > 0) notes.push(`[Files not searched, because they are above 8 MB or look like secrets: ${skipped}.]`);
    const found = linesIn(text, pattern);
    if (found.length === 0) continue;
    files++;
    matches += found.length;
    full = !entriesOf({ path: shownPath(path), text, found, regex: pattern.regex }, request).every((entry) =>
      page.add(entry),
    );
    if (full) break;
  }
  if (full)
    notes.push(`[Cut here; there is more. Continue with offset ${page.next}, or narrow pattern, path, glob or type.]`);
  return { text: textOf(page, request, notes), summary: summaryOf(request, { matches, files, full }) };
}

function candidates(workspace: Workspace, { path, glob, type }: GrepRequest): { paths: string[]; notes: string[] } {
  const { paths, notes } = walk(workspace, path, glob ?? "");
  const byGlob = glob === null ? () => true : globFilter(glob, path);
  const endings = type === null ? null : endingsOf(type);
  const wanted = paths.filter(
    (file) => byGlob(file) && (endings === null || endings.some((ending) => file.toLowerCase().endsWith(ending))),
  );
  return { paths: wanted.sort(), notes };
}

/** File endings of one or several types: `ts,py`. */
function endingsOf(types: string): string[] {
  const names = types.split(/[\s,|]+/).filter((name) => name !== "");
  return names.flatMap(extensionsOf).map((extension) => `.${extension}`);
}

/**
 * Compiles a glob as ripgrep does: without a slash it matches file names at any depth, with one the path from the root
 * or the searched directory. A leading `!` excludes.
 */
function globFilter(glob: string, searched: string): (path: string) => boolean {
  const excludes = glob.startsWith("!");
  const plain = excludes ? glob.slice(1) : glob;
  if (plain === "") throw new Refusal("The glob filter is empty.");
  const isMatch = matcher(globsOf(plain).map((one) => (one.includes("/") ? one : `**/${one}`)));
  const matches = (path: string): boolean => isMatch(path) || isMatch(beneath(searched, path));
  return excludes ? (path) => !matches(path) : matches;
}

function* texts(
  workspace: Workspace,
  paths: readonly string[],
  { prefilter }: Pattern,
): Generator<{ path: string; text: string; skipped: number }> {
  const joined = paths.join("\0");
  for (let first = 0; first < paths.length; ) {
    const batch = workspace.readMatching(joined, first, prefilter);
    const names = splitPaths(batch.paths);
    if (batch.skipped > 0) yield { path: "", text: "", skipped: batch.skipped };
    for (const [index, path] of names.entries()) yield { path, text: batch.texts[index] ?? "", skipped: 0 };
    first = batch.next;
  }
}

function linesIn(text: string, pattern: Pattern): Line[] {
  return [...(pattern.overLines ? coveredLines(text, pattern.regex) : matchingLines(text, pattern))];
}

function entriesOf(file: FoundIn, request: GrepRequest): string[] {
  switch (request.mode) {
    case "files_with_matches":
      return [file.path];
    case "count":
      return [`${file.path}:${file.found.length}`];
    case "content":
      return contentEntries(file, request);
    default:
      throw new Refusal(`The guest knows no output mode ${JSON.stringify(request.mode)}.`);
  }
}

/** Formats `path:line:text` for matches, `path-line-text` for context, and `--` between lines that are not adjacent. */
function contentEntries({ path, text, found, regex }: FoundIn, request: GrepRequest): string[] {
  const { before, after } = request;
  const show = (line: Line, sign: string): string => {
    const whole = text.slice(line.start, line.end);
    return `${path}${sign}${line.number}${sign}${sign === ":" ? cutAround(whole, regex) : cutLine(whole, LINE_CHARS)}`;
  };
  if (before === 0 && after === 0) return found.map((line) => show(line, ":"));
  const matched = new Set(found.map((line) => line.number));
  const wanted = new Set(found.flatMap(({ number }) => range(number - before, number + after)));
  const entries: string[] = [];
  let previous = 0;
  for (let line = firstLine(text); line !== null; line = nextLine(text, line)) {
    if (!wanted.has(line.number)) continue;
    const shown = show(line, matched.has(line.number) ? ":" : "-");
    entries.push(line.number > previous + 1 && previous > 0 ? `--\n${shown}` : shown);
    previous = line.number;
  }
  return entries;
}

/** Cuts a long line to the part around the match. */
function cutAround(line: string, regex: RegExp): string {
  if (line.length <= LINE_CHARS) return line;
  regex.lastIndex = 0;
  const found = regex.exec(line);
  if (found === null || found.index + found[0].length <= LINE_CHARS) return cutLine(line, LINE_CHARS);
  const from = Math.max(0, found.index - CHARS_BEFORE);
  return `[${from} characters before] …${cutLine(line.slice(from), LINE_CHARS).toWellFormed()}`;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function textOf(page: Page, request: GrepRequest, notes: readonly string[]): string {
  const none = page.next === 0 ? `No match for ${request.pattern}.` : `No entry from offset ${request.offset} on.`;
  return [...(page.entries.length === 0 ? [none] : page.entries), ...notes].join("\n");
}

function summaryOf({ mode }: GrepRequest, found: { matches: number; files: number; full: boolean }): string {
  if (found.matches === 0) return "no matches";
  const more = found.full ? "+" : "";
  const [number, noun] =
    mode === "files_with_matches" ? [found.files, "file"] : [found.matches, found.matches === 1 ? "match" : "matche"];
  return `${number}${more} ${noun}${number === 1 && more === "" ? "" : "s"}`;
}
