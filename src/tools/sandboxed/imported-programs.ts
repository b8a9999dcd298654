import path from "node:path";
import { PathResolver, withFile } from "../wasm/workspace/path-resolver.ts";
import { hashOf, readWhole } from "../wasm/workspace/read-file.ts";
import { unlessRefused } from "../wasm/workspace/refusal.ts";

/** What a program executes besides its own text. */
export interface ImportedPrograms {
  /** Paths relative to the root with the sha256 of each file; null if a file does not exist. */
  readonly files: Readonly<Record<string, string | null>>;
  /** True if part of the program is only known at run time. */
  readonly isOpen: boolean;
}

/** Path of the root as programs see it. */
const ROOT = "/workspace";
const MAX_FILES = 100;

/** `from "./x.js"`, `import "./x.js"`, `import("./x.js")`. */
const NAMED = /\b(?:from|import)\s{0,20}\(?\s{0,20}["'`]([^"'`\n]{1,500})["'`]/gu;
/** Imports with computed names, and evaluated text. */
const OPEN =
  /\bimport\s{0,20}\((?!\s{0,20}["'])|\b(?:from|import)\s{0,20}\(?\s{0,20}\/[*/]|\beval\b|(?:\bFunction|\.constructor)\s{0,20}\(/u;

/**
 * Collects the files that a program imports, directly or indirectly. `file` is its own path, or empty if it has none.
 */
export function importedPrograms(root: string, source: string, file: string): ImportedPrograms {
  using resolver = new PathResolver(root);
  const read = (at: string) => unlessRefused(() => withFile(resolver.find(at), at, (fd) => readWhole(fd, at)));
  const files = new Map<string, string | null>();
  let isOpen = false;
  const open = [{ text: source, directory: path.posix.dirname(file) }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const names = [...next.text.matchAll(NAMED)].map(([, name = ""]) => name);
    isOpen ||= OPEN.test(next.text) || names.some((name) => name.includes("\\")) || files.size > MAX_FILES;
    if (isOpen) break;
    for (const name of names) {
      const at = pathOf(name, next.directory);
      if (at === null || files.has(at)) continue;
      const content = read(at);
      files.set(at, content === null ? null : hashOf(content));
      if (content !== null) open.push({ text: content.toString("utf8"), directory: path.posix.dirname(at) });
    }
  }
  return { files: Object.fromEntries([...files].toSorted(([one], [other]) => (one < other ? -1 : 1))), isOpen };
}

/** Null for the sandbox's own modules, for files that only hold data and for paths outside the root. */
function pathOf(name: string, directory: string): string | null {
  if (!/^\.{0,2}\/.*\.m?js$/u.test(name)) return null;
  const whole = path.posix.join(ROOT, name.startsWith("/") ? path.posix.relative(ROOT, name) : `${directory}/${name}`);
  return whole.startsWith(`${ROOT}/`) ? whole.slice(ROOT.length + 1) : null;
}
