import path from "node:path";

/** Whether a path is a directory itself or lies beneath it. Both absolute; links are not followed. */
export function isWithin(inner: string, directory: string): boolean {
  const [first] = path.relative(directory, inner).split(path.sep);
  return first !== "..";
}
