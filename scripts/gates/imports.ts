import { isBuiltin } from "node:module";
import path from "node:path";
import { parseSync, Visitor } from "oxc-parser";
import type { SourceFile } from "./source-files.ts";

interface Imports {
  /** Paths in the project (`src/core/tool.ts`), `node:<module>` or `npm:<package>`, type imports included. */
  readonly targets: readonly string[];
  /** Whether the file loads modules by `require` or the like, whose targets are not traced. */
  readonly isHidden: boolean;
  /** Parse error; null if there is none. */
  readonly error: string | null;
}

/** Functions that load modules without an import. Methods may be called `require`. */
const LOADERS = new Set(["createRequire", "getBuiltinModule"]);
const MAY_HIDE = /\brequire\b|\bcreateRequire\b|\bgetBuiltinModule\b/u;

/** Finds what a file imports, re-exports or loads. */
export function importsOf({ path: from, text }: SourceFile): Imports {
  const parsed = parseSync(from, text);
  const { module, errors } = parsed;
  const specifiers = new Set<string>(module.staticImports.map(({ moduleRequest }) => moduleRequest.value));
  for (const { entries } of module.staticExports)
    for (const { moduleRequest } of entries) if (moduleRequest !== null) specifiers.add(moduleRequest.value);
  for (const { moduleRequest } of module.dynamicImports) {
    const [, named] = /^["'`](.*)["'`]$/s.exec(text.slice(moduleRequest.start, moduleRequest.end)) ?? [];
    if (named !== undefined) specifiers.add(named);
  }
  let isHidden = false;
  // Walking the tree is expensive, and few files contain what only the tree shows.
  if (text.includes("import(") || MAY_HIDE.test(text)) {
    new Visitor({
      TSImportType: ({ source }) => specifiers.add(source.value),
      CallExpression({ callee }) {
        if (callee.type === "Identifier" && callee.name === "require") isHidden = true;
      },
      TSExternalModuleReference() {
        isHidden = true;
      },
      Identifier({ name }) {
        if (LOADERS.has(name)) isHidden = true;
      },
    }).visit(parsed.program);
  }
  const targets = [...specifiers].map((one) => targetOf(from, one));
  return { targets, isHidden, error: errors[0]?.message ?? null };
}

function targetOf(from: string, specifier: string): string {
  if (specifier.startsWith(".")) return path.posix.join(path.posix.dirname(from), specifier);
  if (specifier.startsWith("node:")) return specifier;
  return isBuiltin(specifier) ? `node:${specifier}` : `npm:${specifier}`;
}
