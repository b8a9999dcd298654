import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Pages that guide people through the project, and the folder of the others. Paths named there must exist. */
const PAGES = ["ARCHITECTURE.md", "README.md", "CONTRIBUTING.md"];
const DOCS = "docs";

/** `code` that begins with a folder of the project, and relative link targets. */
const NAMED = /`((?:\.ci|bench|bin|docs|prisma|scripts|src|test|wasm)\/[\w./-]*)`|\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g;

/** A line for each non-existent path that a page names. Link targets are relative to the page's directory. */
export function pathProblems(root: string): string[] {
  const docs = existsSync(path.join(root, DOCS)) ? readdirSync(path.join(root, DOCS), { recursive: true }) : [];
  const pages = [...PAGES, ...docs.map((name) => path.join(DOCS, String(name))).filter((name) => name.endsWith(".md"))];
  return pages.filter((page) => existsSync(path.join(root, page))).flatMap((page) => problemsOf(root, page));
}

function problemsOf(root: string, page: string): string[] {
  const lines = readFileSync(path.join(root, page), "utf8").split("\n");
  return lines.flatMap((line, index) =>
    [...line.matchAll(NAMED)]
      .map(([, code, link]) => code ?? path.join(path.dirname(page), link ?? ""))
      .filter((named) => !existsSync(path.join(root, named)))
      .map((named) => `${page}:${index + 1}: names ${named}, which does not exist.`),
  );
}
