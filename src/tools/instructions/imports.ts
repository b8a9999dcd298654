import path from "node:path";
import { codeSpans } from "../../core/skills/skill-code-spans.ts";

/** How far imports lead: a file that an instruction file names is one deep. */
const MAX_DEPTH = 5;
/** Files that one instruction file brings in at most. */
const MAX_FILES = 30;
/** Characters of them in all: they are part of every request. */
const MAX_IMPORTED = 65_536;

/** `@docs/style.md` at the beginning of a line or after a blank or a bracket; a person or a package looks the same, and is no file. */
const MENTION = /(?<![^\s([{"'*_>|])@([^\s`"'<>()[\]{}|*]+)/g;

export interface ImportScope {
  /** The text of a file, by its path relative to the root; null when there is none that may be read. */
  readonly read: (file: string) => string | null;
  /** What stands behind an imported file's path: who may write it. */
  readonly note: (file: string) => string;
}

interface Imported {
  readonly file: string;
  readonly text: string;
}

interface Walk {
  readonly imported: readonly Imported[];
  /** Those that are too long. */
  readonly left: readonly string[];
  /** All that are named, also those that do not exist. */
  readonly named: ReadonlySet<string>;
}

/**
 * An instruction file, followed by the files that it names with an @, and those that they name: each once, as far as depth
 * and size allow. Paths are relative to the file that names them; what is in code is no import.
 */
export function withImports(text: string, file: string, { read, note }: ImportScope): string {
  const { imported, left } = walkImports({ file, text }, read);
  const cut = left.length === 0 ? [] : [`[Too long to be imported; read them when you need them: ${left.join(", ")}.]`];
  return [text, ...imported.map((each) => `[Imported: ${each.file}${note(each.file)}]\n${each.text}`), ...cut].join(
    "\n\n",
  );
}

/** The files that an instruction file names, and those that they name. */
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
      const content = imported.length < MAX_FILES ? read(file)?.trim() : undefined;
      if (content === undefined || content === "") continue;
      if (size + content.length > MAX_IMPORTED) {
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

/** In order; a path that begins with `/` or `~`, or leads above the root, is none. */
function mentionedFiles({ file, text }: Imported): string[] {
  const code = codeSpans(text);
  return [...text.matchAll(MENTION)]
    .filter(({ index }) => !code.some(({ from, to }) => index >= from && index < to))
    .map(([, mentioned = ""]) => withoutStops(mentioned))
    .filter((mentioned) => mentioned !== "" && !/^[/~\\]|^[a-z]:/i.test(mentioned))
    .map((mentioned) => path.posix.join(path.posix.dirname(file), mentioned))
    .filter((named) => named !== ".." && !named.startsWith("../"));
}

/** Targets of links: `[guide](docs/guide.md)`, `[guide]: docs/guide.md`. */
const LINK = /\]\(<?([^\s()<>]+)|^\[[^\]\n]{1,200}\]: ?<?([^\s<>]+)/gm;
const TEXT_FILE = /\.(?:mdx?|mdc|markdown|txt|rst|adoc)$/i;

/** The texts beneath the root that an instruction file links to: agents read them when it tells them to. */
export function linkedTexts({ file, text }: Imported): string[] {
  return [...text.matchAll(LINK)]
    .map(([, inline, reference]) => (inline ?? reference ?? "").split(/[#?]/u, 1)[0] ?? "")
    .filter((target) => TEXT_FILE.test(target) && !/^[/~\\]|^[a-z][a-z+.-]*:/i.test(target))
    .map((target) => path.posix.join(path.posix.dirname(file), target))
    .filter((target) => !target.startsWith("../"));
}

/** A sentence may end with a file. */
function withoutStops(mentioned: string): string {
  let end = mentioned.length;
  while (end > 0 && ".,;:!?".includes(mentioned.charAt(end - 1))) end -= 1;
  return mentioned.slice(0, end);
}
