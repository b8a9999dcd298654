import picomatch from "picomatch";
import { Refusal, splitPaths, type Workspace } from "../workspace.ts";
import { globsOf } from "./globs-of.ts";
import type { GlobRequest } from "./request.ts";
import { shownPath } from "./shown-path.ts";
import { walk } from "./walk.ts";

export interface TextReply {
  readonly text: string;
  readonly summary: string;
}

export function glob(workspace: Workspace, request: GlobRequest): TextReply {
  const written = request.pattern.replace(/^(\.\/)+/, "");
  const patterns = globsOf(written);
  const matches = matcher(patterns);
  const bases = patterns.map(baseOf);
  const base = bases.length === 1 ? (bases[0] ?? "") : "";
  const { paths, notes } = walk(workspace, joined(request.path, base), written);
  const matching = paths.filter((path) => matches(beneath(request.path, path)));
  const found = sorted(workspace, matching, request.sort);
  if (found.length === 0) {
    return { text: [noneText(workspace, request.path, written), ...notes].join("\n"), summary: "no files" };
  }
  const shown = found.slice(request.offset, request.offset + request.limit);
  const end = request.offset + shown.length;
  if (shown.length === 0) notes.push(`[${found.length} files match; offset ${request.offset} is past the last one.]`);
  else if (end < found.length)
    notes.push(`[Files ${request.offset + 1}–${end} of ${found.length}. Continue with offset ${end}.]`);
  return {
    text: [...shown.map(shownPath), ...notes].join("\n"),
    summary: found.length === 1 ? "1 file" : `${found.length} files`,
  };
}

function noneText(workspace: Workspace, path: string, written: string): string {
  const name = written.replace(/\/$/, "");
  const isDirectory = /^[^*?{}[\]()!]+$/.test(name) && workspace.inspect(joined(path, name)).kind === "directory";
  return isDirectory ? `${name} is a directory: list it with ${name}/**.` : `No file matches ${written}.`;
}

/** The directory that contains all matches of a pattern. */
function baseOf(pattern: string): string {
  if (pattern.split("/").includes("..")) throw new Refusal("A glob pattern must not contain `..`; set path instead.");
  const { base, glob: rest } = picomatch.scan(pattern);
  const literal = base.replace(/\\(.)/g, "$1");
  return rest === "" ? literal.slice(0, Math.max(literal.lastIndexOf("/"), 0)) : literal;
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== "").join("/");
}

/** A path relative to a directory above it. */
export function beneath(directory: string, path: string): string {
  return directory !== "" && path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : path;
}

export function matcher(patterns: string[]): (path: string) => boolean {
  try {
    const matches = picomatch(patterns);
    return (path) => matches(path);
  } catch (error) {
    throw new Refusal(`The glob pattern is not valid: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function sorted(workspace: Workspace, paths: string[], by: "path" | "modified"): string[] {
  const ordered = paths.sort();
  if (by === "path" || ordered.length === 0) return ordered;
  const times = splitPaths(workspace.modified(ordered.join("\0"))).map(Number);
  return ordered
    .map((path, index) => ({ path, time: times[index] ?? 0 }))
    .sort((a, b) => b.time - a.time)
    .map(({ path }) => path);
}
