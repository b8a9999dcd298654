import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** Pages that lead people through the project: what they point at must be there. */
const PAGES = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"];

/** `code` that begins with a folder of the project, or is a link's target within it. */
const NAMED = /`((?:\.ci|bench|bin|docs|prisma|scripts|src|test|wasm)\/[\w./-]*)`|\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g;

/** A line for each path that a page names and that does not exist. */
export function pathProblems(root: string): string[] {
  return PAGES.filter((page) => existsSync(path.join(root, page))).flatMap((page) => {
    const lines = readFileSync(path.join(root, page), "utf8").split("\n");
    return lines.flatMap((line, index) =>
      [...line.matchAll(NAMED)]
        .map(([, code, link]) => code ?? link ?? "")
        .filter((named) => !existsSync(path.join(root, named)))
        .map((named) => `${page}:${index + 1}: names ${named}, which does not exist.`),
    );
  });
}
