import type { Context } from "../adapted.ts";

export type Status = Awaited<ReturnType<Context["fs"]["stat"]>>;
export type Kind = "d" | "f" | "l";

/** A file or directory that `find` visits. */
export interface Entry {
  /** Path as printed. */
  readonly path: string;
  /** The starting point, an operand of `find`, beneath which the entry lies. */
  readonly start: string;
  readonly name: string;
  readonly depth: number;
  readonly kind: Kind;
  readonly full: string;
  status(): Promise<Status>;
}

export function kindOf({ isDirectory, isSymbolicLink }: Pick<Status, "isDirectory" | "isSymbolicLink">): Kind {
  return isSymbolicLink ? "l" : isDirectory ? "d" : "f";
}

/** A path without its last part; `.` if nothing else remains. */
export function directoryOf(path: string): string {
  const [trimmed, slash] = withLastSlash(path);
  if (slash === -1) return ".";
  return slash === 0 ? "/" : trimmed.slice(0, slash);
}

/** The last part of a path. */
export function nameOf(path: string): string {
  const [trimmed, slash] = withLastSlash(path);
  return trimmed === "" ? path.slice(0, 1) : trimmed.slice(slash + 1);
}

/** A path without trailing slashes, and the index of its last slash. */
function withLastSlash(path: string): readonly [trimmed: string, slash: number] {
  let end = path.length;
  while (path.charAt(end - 1) === "/") end -= 1;
  const trimmed = path.slice(0, end);
  return [trimmed, trimmed.lastIndexOf("/")];
}
