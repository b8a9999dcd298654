import { Buffer } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import path from "node:path";
import type { InstructionLayer, InstructionPlace } from "../../core/context/system-prompt.ts";
import type { Log } from "../../core/protocol/log.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { notRegular, Places, withFile } from "../wasm/workspace/places.ts";
import { readHead } from "../wasm/workspace/read-file.ts";
import { withImports } from "./imports.ts";

/** Bytes of one layer that enter the prompt: instructions that are longer cost every call of the channel. */
const MOST_BYTES = 32_768;
/** Of a project's directory, the first of these that says something. */
const PROJECT_FILES = ["AGENTS.md", "CLAUDE.md"];

export interface InstructionReaderOptions {
  /** Absolute paths of the operator's own files, the most general first. */
  readonly files: readonly string[];
  readonly log: Log;
}

/** Unlike the instruction files themselves, see instruction-files.ts. */
const OPEN = ", a file that tools may write";

interface Imports {
  readonly places: Places;
  readonly root: string;
  /** Relative to the root. */
  readonly file: string;
  readonly note: string;
}

interface Cached {
  readonly version: string;
  readonly text: string;
}

/**
 * Reads the instruction files that apply in a sandbox root: the operator's own, those of the directories above it from the
 * highest on, the root's own last. Files that are missing, empty or unreadable are no layers. A project's are reached through
 * the same verified paths as the tools', within the root that they are of. Files that they import follow them.
 */
export function createInstructionReader({ files, log }: InstructionReaderOptions) {
  const cache = new Map<string, Cached>();

  const readOpen = (source: string, fd: number, stats: Stats): string => {
    const version = `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
    const known = cache.get(source);
    if (known?.version === version) return known.text;
    const text = textOf(readHead(fd, Math.min(stats.size, MOST_BYTES)), stats.size);
    cache.set(source, { version, text });
    return text;
  };
  const layer = (source: string, read: () => string): InstructionLayer[] => {
    try {
      const text = read();
      return text.trim() === "" ? [] : [{ source, text }];
    } catch (error) {
      if (systemCode(error) !== "ENOENT") log.debug({ err: error, source }, "instructions_unreadable");
      return [];
    }
  };

  const readIn = (places: Places, root: string, file: string): string =>
    withFile(places.find(file), file, (fd, stats) => readOpen(`${root}/${file}`, fd, stats));
  /** A file that is named and not there may be a person's name or a package's. */
  const imported = ({ places, root, file, note }: Imports, text: string): string => {
    const read = (named: string) => layer(named, () => readIn(places, root, named))[0]?.text ?? null;
    return withImports(text, file, { read, note });
  };

  /** Of each directory the first file that says something. */
  const projectLayers = (root: string, directories: readonly string[]): InstructionLayer[] => {
    const places = new Places(root);
    try {
      return directories.flatMap((directory) => {
        for (const name of PROJECT_FILES) {
          const file = path.posix.join(directory, name);
          const [project] = layer(file, () => imported({ places, root, file, note: OPEN }, readIn(places, root, file)));
          if (project !== undefined) return [project];
        }
        return [];
      });
    } finally {
      places.close();
    }
  };

  /** The operator's own files import what lies beside and beneath them. */
  const ownText = (file: string): string => {
    const text = withOpen(file, (fd, stats) => readOpen(file, fd, stats));
    const root = path.dirname(file);
    const places = new Places(root);
    try {
      return imported({ places, root, file: path.basename(file), note: "" }, text);
    } finally {
      places.close();
    }
  };

  return ({ sandboxRoot, above }: InstructionPlace): readonly InstructionLayer[] => {
    const own = files.flatMap((file) => layer(file, () => ownText(file)));
    const outer = above === undefined ? [] : projectLayers(above.root, above.directories);
    return [...own, ...outer, ...projectLayers(sandboxRoot, [""])];
  };
}

/** The operator's own files may be links to anywhere. */
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

/** A file that is not text says nothing. */
function textOf(head: Buffer, size: number): string {
  const text = head.toString("utf8");
  if (text.includes("\0")) return "";
  const whole = text.replace(/\ufffd{1,3}$/, "").trim();
  return size > MOST_BYTES
    ? `${whole}\n[Cut here: the file has ${size} bytes, of which ${MOST_BYTES} are read.]`
    : whole;
}
