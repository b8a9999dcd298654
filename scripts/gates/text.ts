import { readdirSync } from "node:fs";
import path from "node:path";
import { PLATFORMS, platformNames } from "./platform-names.ts";
import { type SourceFile, sourceFiles } from "./source-files.ts";

/** Rules about files as text that no linter knows. */

/** Maximum lines of a file; a longer one does more than one thing. */
const MAX_LINES = 400;

/** Maximum files directly in a folder; a larger one is more than one room. */
const MAX_FILES = 20;

/**
 * Maximum number of interfaces for a part's options or dependencies. Another one would repeat others: use `Pick` on an
 * existing one.
 */
const MAX_OPTIONS = 80;
const OPTIONS = /^(?:export )?(?:interface|type) \w*(?:Options|Deps)\b/gmu;

/** Matches a marker in a comment or at the start of a line; written so that it does not match itself. */
const MARKERS = /((^|\s)(\/\/|\/\*).*|^\s*([*#-]|<!--)?\s*)\b(TO[D]O|FIX[M]E|X{3}|HA[C]K)\b/;

const SKIPPED_TEST = /\b(test|it|describe)\.(skip|only|todo|fails)\b/;
const MODULE_MOCK = /\bvi\.(mock|doMock)\(/;
/** Matches a comment such as “Of each request.”, which says nothing of what it documents. */
const HALF_SENTENCE = /(?<=^|\s)\/(?:\/|\*\*?)[\s*]+Of\b/u;
const VAGUE_NAMES = /(^|\/)(utils?|helpers?|managers?|common|misc|index)\.tsx?$/;

export function textProblems(root: string): string[] {
  const directories = ["src", "test", "bench", "scripts", "wasm", "bin", ".ci", "docs", "extensions"];
  const files = sourceFiles(root, directories, [".ts", ".tsx", ".mjs", ".js", ".css", ".html", ".md", ".wit", "/run"]);
  return [
    ...files.flatMap(problemsOf),
    ...crowdedFolders(files),
    ...manyOptions(files),
    ...platformNames(files),
    ...asymmetries(root),
  ];
}

function crowdedFolders(files: readonly SourceFile[]): string[] {
  const code = files.filter((file) => /^(src|test|wasm)\//.test(file.path));
  const folders = Map.groupBy(code, (file) => path.dirname(file.path));
  return [...folders]
    .filter(([, inside]) => inside.length > MAX_FILES)
    .map(([folder, inside]) => `${folder}/: has ${inside.length} files, more than ${MAX_FILES}.`);
}

function manyOptions(files: readonly SourceFile[]): string[] {
  const code = files.filter(({ path: file }) => /^src\/.*\.tsx?$/u.test(file));
  const count = code.reduce((sum, { text }) => sum + [...text.matchAll(OPTIONS)].length, 0);
  return count > MAX_OPTIONS
    ? [`src: has ${count} interfaces of options, more than ${MAX_OPTIONS}; take a part of one that there is.`]
    : [];
}

function problemsOf(file: SourceFile): string[] {
  const lines = file.text.split("\n");
  const code = /\.(tsx?|mjs|js|css)$/.test(file.path);
  const test = file.path.startsWith("test/");
  const at = (pattern: RegExp) => lines.findIndex((line) => pattern.test(line)) + 1;
  const found = (pattern: RegExp, why: string) => (at(pattern) > 0 ? [`${file.path}:${at(pattern)}: ${why}.`] : []);
  const half = lineOf(file.text, HALF_SENTENCE);
  return [
    ...(code && lines.length - 1 > MAX_LINES
      ? [`${file.path}: has ${lines.length - 1} lines, more than ${MAX_LINES}.`]
      : []),
    ...(VAGUE_NAMES.test(file.path) ? [`${file.path}: name it after what it does; no barrels.`] : []),
    ...found(MARKERS, "finish it or open an issue; no marker stays in the text"),
    ...(half === null
      ? []
      : [`${file.path}:${half}: a comment is a whole sentence about the thing, and does not begin with Of.`]),
    ...(test ? found(SKIPPED_TEST, "a test that does not run is a defect") : []),
    ...(test ? found(MODULE_MOCK, "modules are not mocked; use a real counterpart") : []),
  ];
}

/** Line where the pattern first matches, possibly across lines; null if it does not match. */
function lineOf(text: string, pattern: RegExp): number | null {
  const found = pattern.exec(text);
  return found === null ? null : text.slice(0, found.index).split("\n").length;
}

/** File names that every adapter has. A platform may have further files of its own. */
const SHARED_PARTS = ["adapter.ts", "descriptor.ts", "errors.ts", "format.ts", "inbound.ts", "limits.ts", "wire.ts"];

function asymmetries(root: string): string[] {
  const folders = PLATFORMS.flatMap((platform) => {
    const files = adapterFiles(path.join(root, "src/adapters", platform));
    return files.length === 0 ? [] : [{ platform, files }];
  });
  return folders.flatMap(({ platform, files }) =>
    SHARED_PARTS.filter((part) => !files.includes(part)).map(
      (part) => `src/adapters/${platform}: has no ${part}; slack, discord and web hold the same parts.`,
    ),
  );
}

function adapterFiles(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
