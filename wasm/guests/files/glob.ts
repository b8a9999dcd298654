import picomatch from "picomatch";
import { Refusal, splitPaths, type Workspace } from "../workspace.ts";
import type { GlobRequest } from "./request.ts";
import { walk } from "./walk.ts";

export interface TextReply {
  readonly text: string;
  readonly summary: string;
}

export function glob(workspace: Workspace, request: GlobRequest): TextReply {
  const { base, pattern } = rooted(request);
  const matches = matcher(pattern);
  const { paths, notes } = walk(workspace, base, pattern);
  const found = sorted(workspace, paths.filter(matches), request.sort);
  if (found.length === 0) return { text: [`No file matches ${pattern}.`, ...notes].join("\n"), summary: "no files" };
  const shown = found.slice(request.offset, request.offset + request.limit);
  const end = request.offset + shown.length;
  if (shown.length === 0) notes.push(`[${found.length} files match; offset ${request.offset} is behind them.]`);
  else if (end < found.length)
    notes.push(`[Files ${request.offset + 1}–${end} of ${found.length}. Go on with offset ${end}.]`);
  return { text: [...shown, ...notes].join("\n"), summary: found.length === 1 ? "1 file" : `${found.length} files` };
}

/** The pattern from the sandbox root on, and the directory beneath which all its matches are. */
function rooted({ pattern, path }: GlobRequest): { base: string; pattern: string } {
  const whole = [path, pattern.replace(/^(\.\/)+/, "")].filter((part) => part !== "").join("/");
  if (whole.split("/").includes("..")) throw new Refusal("A glob pattern must not contain `..`; set path instead.");
  const { base, glob: rest } = picomatch.scan(whole);
  return { base: rest === "" ? parentOf(whole) : base, pattern: whole };
}

function parentOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}

export function matcher(pattern: string): (path: string) => boolean {
  try {
    return picomatch(pattern);
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
