import path from "node:path";

/** Whether a path is the directory or lies within it. Both are absolute; links are not followed. */
export function isWithin(inner: string, directory: string): boolean {
  const [first] = path.relative(directory, inner).split(path.sep);
  return first !== "..";
}
