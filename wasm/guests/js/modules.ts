import { textOfBytes } from "../runtime/text-encoding.ts";
import { FileError, type Filesystem } from "../workspace-files.ts";
import { absolute, dirname, extname, inner } from "./paths.ts";
import { type Rewritten, rewriteModule } from "./rewrite.ts";

type Namespace = Record<string, unknown>;

/** A module once it is requested, possibly before it has run, since modules may import each other. */
interface Loading {
  readonly namespace: Namespace;
  readonly done: Promise<unknown>;
}

/** Runs code in the global scope; returns the function if the code is a parenthesised function. */
type Evaluate = (code: string) => unknown;

export interface Modules {
  /** Runs a program as a module. Relative imports start from `path`. Resolves with the program's last expression. */
  run(source: string, path: string): Promise<unknown>;
}

const OFFERED = "Available are node:fs, node:fs/promises, node:path, and files of the sandbox by relative path.";

export function createModules(
  files: Filesystem,
  offered: Readonly<Record<string, Namespace>>,
  evaluate: Evaluate,
): Modules {
  const loaded = new Map<string, Loading>();

  /** `waiting` are the modules that wait for this one, so that an import cycle does not wait for itself. */
  const load = (specifier: string, from: string, waiting: readonly string[]): Loading => {
    const builtIn = offered[specifier.replace(/^node:/, "")];
    if (builtIn !== undefined) return { namespace: builtIn, done: Promise.resolve() };
    const path = pathOf(specifier, from);
    const known = loaded.get(path);
    if (known !== undefined) return waiting.includes(path) ? { ...known, done: Promise.resolve() } : known;
    const source = sourceOf(files, path, from);
    if (extname(path) !== ".json") return begin(rewritten(source, path, false), path, waiting);
    const json = { namespace: { default: JSON.parse(source) }, done: Promise.resolve() };
    loaded.set(path, json);
    return json;
  };

  const begin = (module: Rewritten, path: string, waiting: readonly string[]): Loading => {
    const namespace: Namespace = Object.create(null, { [Symbol.toStringTag]: { value: "Module" } });
    const { promise: done, resolve } = Promise.withResolvers<unknown>();
    loaded.set(path, { namespace, done });
    const scope = scopeOf(module, { path, namespace, load: (specifier) => load(specifier, path, [...waiting, path]) });
    resolve(enter(evaluate, module.body)(scope)());
    return { namespace, done };
  };

  return { run: (source, path) => begin(rewritten(source, path, true), path, []).done };
}

type Enter = (scope: object) => () => Promise<unknown>;

/** Keeps the wrapper on the first line of the body, so that errors report the source's line numbers. */
function enter(evaluate: Evaluate, body: string): Enter {
  const code = `(function ($deckhand_scope) { with ($deckhand_scope) { return async function () { "use strict"; ${body}\n} } })`;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the line above says
  return evaluate(code) as Enter;
}

function rewritten(source: string, path: string, returnsLast: boolean): Rewritten {
  try {
    return rewriteModule(source, returnsLast);
  } catch (error) {
    if (error instanceof SyntaxError && !returnsLast) error.message += ` in ${path}`;
    throw error;
  }
}

interface Surroundings {
  readonly path: string;
  readonly namespace: Namespace;
  readonly load: (specifier: string) => Loading;
}

/** The scope of a module's code (rewrite.ts): its imports, and the functions that its rewritten statements call. */
function scopeOf(module: Rewritten, { path, namespace, load }: Surroundings): object {
  const sources = new Map<string, Namespace>();
  const ready = async (): Promise<void> => {
    for (const { specifier } of [...module.imports, ...module.handedOn]) {
      const { namespace: source, done } = load(specifier);
      sources.set(specifier, source);
      await done;
    }
    for (const { specifier, names } of module.imports) requireNames(sources.get(specifier), specifier, names);
    for (const each of module.handedOn) reexport(namespace, sources.get(each.specifier) ?? {}, each);
  };
  const scope: Namespace = Object.create(null);
  for (const { specifier, names } of module.imports) {
    for (const [local, name] of Object.entries(names)) {
      const get = (): unknown => (name === "*" ? sources.get(specifier) : sources.get(specifier)?.[name]);
      Object.defineProperty(scope, local, { get });
    }
  }
  return Object.assign(scope, {
    $deckhand_ready: ready,
    $deckhand_exports: (getters: Readonly<Record<string, () => unknown>>) => {
      for (const [name, get] of Object.entries(getters))
        Object.defineProperty(namespace, name, { get, enumerable: true });
    },
    $deckhand_import: async (specifier: unknown) => {
      const { namespace: source, done } = load(String(specifier));
      await done;
      return source;
    },
    $deckhand_meta: { url: `file://${path}`, filename: path, dirname: dirname(path) },
    $deckhand_module: { default: undefined },
  });
}

function requireNames(source: Namespace | undefined, specifier: string, names: Readonly<Record<string, string>>): void {
  for (const name of Object.values(names)) {
    if (name !== "*" && !(name in (source ?? {}))) throw new SyntaxError(`${specifier} exports no ${name}`);
  }
}

function reexport(namespace: Namespace, source: Namespace, { name, imported }: Rewritten["handedOn"][number]): void {
  const names = name === "*" ? Object.keys(source).filter((key) => key !== "default" && !(key in namespace)) : [name];
  for (const each of names) {
    const from = name === "*" ? each : imported;
    const get = (): unknown => (from === "*" ? source : source[from]);
    Object.defineProperty(namespace, each, { get, enumerable: true });
  }
}

function pathOf(specifier: string, from: string): string {
  if (!/^\.{0,2}\//.test(specifier)) {
    throw new Error(`Cannot import "${specifier}": packages are not in the sandbox. ${OFFERED}`);
  }
  const path = absolute(specifier, dirname(from));
  if (![".js", ".mjs", ".json"].includes(extname(path))) {
    throw new Error(`Cannot import "${specifier}": only .js, .mjs and .json files, by their full name.`);
  }
  return path;
}

function sourceOf(files: Filesystem, path: string, from: string): string {
  const place = inner(path);
  try {
    if (place !== null) return textOfBytes(files.readFile(place));
  } catch (error) {
    if (!(error instanceof FileError) || error.code !== "ENOENT") throw error;
  }
  throw new Error(`Cannot import ${path} from ${from}: there is no such file.`);
}
