import { closeSync, constants, existsSync, fstatSync, openSync, type Stats } from "node:fs";
import path from "node:path";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { DirectoriesAbove, InstructionLayer, InstructionRoots } from "../../core/context/system-prompt.ts";
import type { Log } from "../../core/protocol/log.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { createSecretGuard, type RefuseSecret, refuseOpenSecret } from "../secrets/secret-files.ts";
import { notRegular, PathResolver, withFile } from "../wasm/workspace/path-resolver.ts";
import { isBeneath } from "../wasm/workspace/path-rules.ts";
import { withImports } from "./imports.ts";
import { instructionText, PROJECT_FILES } from "./instruction-text.ts";

/**
 * Note for files that an instruction file above the working directory names within it; protected-files.ts does not
 * protect them.
 */
const OPEN = ", a file that tools may write";

interface Imports {
  readonly resolver: PathResolver;
  readonly root: string;
  /** Relative to the root. */
  readonly file: string;
  readonly note: (file: string) => string;
  /** Throws if a file looks like a secret. Whoever can write a project's files chooses which ones they import. */
  readonly refuse: RefuseSecret;
}

/** Maximum number of cached files over all sandbox roots; sub-agents have roots of their own, which come and go. */
const MAX_CACHED = 1_000;

/**
 * Creates a reader of the instruction files that apply in a sandbox root: the operator's own first, then those of the
 * directories above the root from the highest down, then the root's own. Missing, empty and unreadable files are
 * skipped. Each file is followed by the files that it imports. A project's files are opened through the same verified
 * paths as the tools' and within their own root, and those that `follows` rejects are left out. `files` are absolute
 * paths of the operator's own files, the most general first.
 */
export function createInstructionReader(files: readonly string[], log: Log) {
  const readOpen = reading();
  const layer = layering(log);

  const readIn = ({ resolver, root, refuse }: Pick<Imports, "resolver" | "root" | "refuse">, file: string): string => {
    const place = resolver.find(file);
    if (place.stats === null) return "";
    return withFile(place, file, (fd, stats) => {
      refuseOpenSecret(refuse, place.relative, fd);
      return readOpen(`${root}/${file}`, fd, stats);
    });
  };
  /** A mention that names no existing file may be a person's name or a package's. */
  const imported = (importing: Imports, text: string): string => {
    const read = (named: string) => layer(named, () => readIn(importing, named))[0]?.text ?? null;
    return withImports(text, importing.file, { read, note: importing.note });
  };

  /** The first non-empty instruction file of each directory. */
  const projectLayers = (
    { root, directories }: DirectoriesAbove,
    note: (file: string) => string,
  ): InstructionLayer[] => {
    if (!existsSync(root)) return []; // `PathResolver` would create it
    using resolver = new PathResolver(root);
    return directories.flatMap((directory) => {
      for (const name of PROJECT_FILES) {
        const file = path.posix.join(directory, name);
        const refuse = createSecretGuard({});
        // A file's own text was put there by its writers, but a link may lead to somebody else's secret.
        const linked: RefuseSecret = (at, ...content) => (at === file ? undefined : refuse(at, ...content));
        const [project] = layer(file, () => {
          const text = readIn({ resolver, root, refuse: linked }, file);
          return imported({ resolver, root, file, note, refuse }, text);
        });
        if (project !== undefined) return [project];
      }
      return [];
    });
  };

  /** The operator's own files can import what lies beside and beneath them. */
  const ownText = (file: string): string => {
    const text = withOpen(file, (fd, stats) => readOpen(file, fd, stats));
    const root = path.dirname(file);
    using resolver = new PathResolver(root);
    return imported({ resolver, root, file: path.basename(file), note: () => "", refuse: () => {} }, text);
  };

  return (
    { sandboxRoot, above }: InstructionRoots,
    follows: (layer: InstructionLayer) => boolean = () => true,
  ): readonly InstructionLayer[] => {
    const own = files.flatMap((file) => layer(file, () => ownText(file)));
    const isOpen = (file: string) => above !== undefined && isBeneath(sandboxRoot, path.join(above.root, file));
    const outer = above === undefined ? [] : projectLayers(above, (file) => (isOpen(file) ? OPEN : ""));
    const inner = projectLayers({ root: sandboxRoot, directories: [""] }, () => "");
    return [...own, ...[...outer, ...inner].filter(follows)];
  };
}

/** Reads the instructions of an open file, cached by its version. */
function reading() {
  const cache = new BoundedMap<string, { readonly version: string; readonly text: string }>(MAX_CACHED);
  return (source: string, fd: number, stats: Stats): string => {
    const version = `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
    const known = cache.get(source);
    if (known?.version === version) return known.text;
    const text = instructionText(fd, stats);
    cache.set(source, { version, text });
    return text;
  };
}

/** Reads one layer; empty if there is none or it cannot be read. */
function layering(log: Log) {
  return (source: string, read: () => string): InstructionLayer[] => {
    try {
      const text = read();
      return text.trim() === "" ? [] : [{ source, text }];
    } catch (error) {
      if (systemCode(error) !== "ENOENT") log.debug({ err: error, source }, "instructions_unreadable");
      return [];
    }
  };
}

/** Opens an operator's own file, which may be a link to anywhere. */
function withOpen<T>(file: string, use: (fd: number, stats: Stats) => T): T {
  const fd = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw notRegular(file, stats);
    return use(fd, stats);
  } finally {
    closeSync(fd);
  }
}
