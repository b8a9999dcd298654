import path from "node:path";
import { codeSpans, type Span } from "../../core/skills/skill-code-spans.ts";

/** Maximum depth of imports; a file that an instruction file names has depth one. */
const MAX_DEPTH = 5;
/** Maximum number of files that one instruction file imports. */
const MAX_FILES = 30;
/** Maximum number of files that are named as left out; beyond it, no file is read any more. */
const MAX_LEFT = 200;
/** Maximum characters of all imported files, since every request carries them. */
const MAX_IMPORTED = 65_536;

/**
 * Matches `@docs/style.md` at the start of a line, after a space or bracket, or in Chinese and Japanese, whose words and
 * punctuation stand next to it without a space. A mention of a person or a package looks the same but names no existing
 * file.
 */
const MENTION =
  /(?<![^\s([{"'*_>|‘-”…、。〈-】！-，：；？\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}])@([^\s`"'<>()[\]{}|*‘-”…、。〈-】！-，：；？]+)/gu;
/** What may follow a name without a space: a heading, as in `guide.md#setup`, or a particle, as in `guide.md를`. */
const AFTER_NAME = /(?<=\.[a-z]{2,8})[#\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}].*$/iu;

export interface ImportScope {
  /** The text of a file, by its path relative to the root; null if none can be read. */
  readonly read: (file: string) => string | null;
  /** Note shown after an imported file's path, about who may write the file. */
  readonly note: (file: string) => string;
}

interface Imported {
  readonly file: string;
  readonly text: string;
}

interface Walk {
  readonly imported: readonly Imported[];
  /** Files that were left out because there are too many or they are too long; at most MAX_LEFT are listed. */
  readonly left: readonly string[];
  /** All named files, including those that do not exist. */
  readonly named: ReadonlySet<string>;
}

/**
 * Returns an instruction file followed by the files that it names with an @ and those that they name, each once, as far
 * as depth and size allow. Paths are relative to the file that names them; mentions within code or comments are not
 * imports.
 */
export function withImports(text: string, file: string, { read, note }: ImportScope): string {
  const { imported, left } = walkImports({ file, text }, read);
  const cut =
    left.length === 0
      ? []
      : [
          `[Not imported, because there are too many or they are too long: ${left.join(", ")}. Read them when you need them.]`,
        ];
  const own = [...new Set([{ text }, ...imported].flatMap(mentions).filter(isOfHome))].slice(0, MAX_FILES);
  const outside =
    own.length === 0 ? [] : [`[Not imported, because they are not in this directory: ${own.join(", ")}.]`];
  const shown = imported.map((each) => `[Imported: ${each.file}${note(each.file)}]\n${each.text}`);
  return [text, ...shown, ...cut, ...outside].join("\n\n");
}

/** Collects the files that an instruction file imports, directly or indirectly. */
export function walkImports(start: Imported, read: ImportScope["read"]): Walk {
  const imported: Imported[] = [];
  const left: string[] = [];
  const named = new Set<string>();
  let size = 0;
  const visit = (from: Imported, depth: number): void => {
    if (depth > MAX_DEPTH) return;
    for (const file of mentionedFiles(from)) {
      if (file === start.file || named.has(file)) continue;
      named.add(file);
      const content = left.length < MAX_LEFT ? read(file)?.trim() : undefined;
      if (content === undefined || content === "") continue;
      if (imported.length === MAX_FILES || size + content.length > MAX_IMPORTED) {
        left.push(file);
        continue;
      }
      size += content.length;
      const next = { file, text: content };
      imported.push(next);
      visit(next, depth + 1);
    }
  };
  visit(start, 1);
  return { imported, left, named };
}

/** The mentioned paths in order, without those that begin with `/` or `~` or lead above the root. */
function mentionedFiles({ file, text }: Imported): string[] {
  return mentions({ text })
    .filter((mentioned) => mentioned !== "" && !/^[/~\\]|^[a-z]:/i.test(mentioned))
    .map((mentioned) => path.posix.join(path.posix.dirname(file), mentioned))
    .filter((named) => named !== ".." && !named.startsWith("../"));
}

/** A file of its author's home, which other programs import. `@/lib` is how code names its own folders. */
function isOfHome(mentioned: string): boolean {
  return mentioned.startsWith("~/");
}

/** What follows each @ outside code and comments. */
function mentions({ text }: Pick<Imported, "text">): string[] {
  const code = codeSpans(text);
  const inert = [...code, ...commentSpans(text, code)];
  return [...text.matchAll(MENTION)]
    .filter(({ index }) => !isWithin(inert, index))
    .map(([, mentioned = ""]) => withoutStops(mentioned.replace(AFTER_NAME, "")));
}

function isWithin(spans: readonly Span[], at: number): boolean {
  return spans.some(({ from, to }) => at >= from && at < to);
}

/** Finds HTML comments, which hold imports that are switched off. One that begins in code or never ends is none. */
function commentSpans(text: string, code: readonly Span[]): Span[] {
  const spans: Span[] = [];
  for (let from = text.indexOf("<!--"); from !== -1; ) {
    const end = text.indexOf("-->", from + "<!--".length);
    if (end === -1) break;
    const isComment = !isWithin(code, from);
    if (isComment) spans.push({ from, to: end });
    from = text.indexOf("<!--", isComment ? end : from + 1);
  }
  return spans;
}

/** Link targets: `[guide](docs/guide.md)`, `[guide]: docs/guide.md`. */
const LINK = /\]\(<?([^\s()<>]+)|^\[[^\]\n]{1,200}\]: ?<?([^\s<>]+)/gm;
const TEXT_FILE = /\.(?:mdx?|mdc|markdown|txt|rst|adoc)$/i;

/** Text files beneath the root that an instruction file links to, since agents read them when it tells them to. */
export function linkedTexts({ file, text }: Imported): string[] {
  return [...text.matchAll(LINK)]
    .map(([, inline, reference]) => (inline ?? reference ?? "").split(/[#?]/u, 1)[0] ?? "")
    .filter((target) => TEXT_FILE.test(target) && !/^[/~\\]|^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => path.posix.join(path.posix.dirname(file), target))
    .filter((target) => !target.startsWith("../"));
}

/** Strips the punctuation of a sentence that ends with a file name. */
function withoutStops(mentioned: string): string {
  let end = mentioned.length;
  while (end > 0 && ".,;:!?".includes(mentioned.charAt(end - 1))) end -= 1;
  return mentioned.slice(0, end);
}
