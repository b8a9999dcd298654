import type { Context } from "../adapted.ts";

export type Status = Awaited<ReturnType<Context["fs"]["stat"]>>;
export type Kind = "d" | "f" | "l";

/** What `find` looks at. */
export interface Entry {
  /** As it is printed. */
  readonly path: string;
  /** The operand beneath which it is. */
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

/** Its path but for the last part; a `.` where there is nothing else. */
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

/** A path without slashes at its end, and where its last one is. */
function withLastSlash(path: string): readonly [trimmed: string, slash: number] {
  let end = path.length;
  while (path.charAt(end - 1) === "/") end -= 1;
  const trimmed = path.slice(0, end);
  return [trimmed, trimmed.lastIndexOf("/")];
}
