import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { tempDirectory } from "./temp-directory.ts";

/** Creates a directory with these files, by relative path, for the running test. */
export function projectWith(files: Readonly<Record<string, string>>): string {
  const root = tempDirectory();
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.join(root, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(root, file), content);
  }
  return root;
}
