import { Buffer } from "node:buffer";
import { lstatSync } from "node:fs";
import { DefectError } from "../../../core/protocol/errors.ts";
import { instructionRefusal } from "../../instructions/instruction-files.ts";
import { changesScripts } from "../../instructions/package-scripts.ts";
import { instructionFileCheck } from "../../instructions/protected-files.ts";
import { allocatedBytes, freedBytes } from "../../quotas/disk-usage.ts";
import { UNBOUNDED, withDirectoryQuota, withQuota } from "../../quotas/quota-meter.ts";
import { createSecretGuard, refuseOpenSecret } from "../../secrets/secret-files.ts";
import type { SandboxCapability } from "../capability.ts";
import { createChanges, packageText } from "./change-files.ts";
import type { OpenDirectory } from "./directory.ts";
import { createFileReads, type FilesystemImport, type FilesystemScope } from "./filesystem.ts";
import { createContentKeeper, type FileChange } from "./kept-content.ts";
import { listFiles, type WalkOptions } from "./list-files.ts";
import { HEAD_BYTES, inUtf8, mediaTypeOf } from "./media-type.ts";
import { findOrNull, PathResolver, type ResolvedPath, withFile } from "./path-resolver.ts";
import type { Prefilter } from "./prefilter.ts";
import { hashFile, hashOf, readHead, readLines, readWhole } from "./read-file.ts";
import { readMatching } from "./read-matching.ts";
import { Refusal, refusing, unlessRefused } from "./refusal.ts";
import { replaceFile } from "./replace-file.ts";

/** The guest's `workspace` import (wasm/wit/sandbox.wit). */
export interface WorkspaceImport {
  inspect(path: string): { kind: "missing" | "file" | "directory"; size: bigint; mediaType: string };
  readLines(path: string, first: number, count: number): ReturnType<typeof readLines>;
  readWhole(path: string): { text: string; sha256: string };
  readEncoded(path: string): { base64: string; sha256: string };
  hashFile(path: string): string | undefined;
  hashText(text: string): string;
  replaceFile(path: string, text: string, before: string | undefined): void;
  listFiles(path: string, options: WalkOptions): { paths: string; cut: boolean };
  modified(paths: string): string;
  readMatching(paths: string, first: number, prefilter: Prefilter): BatchRecord;
}

interface BatchRecord {
  paths: string;
  texts: readonly string[];
  next: number;
  skipped: number;
}

export interface Workspace {
  readonly functions: WorkspaceImport;
  readonly filesystem: FilesystemImport;
  /**
   * Sets what the functions can access, and who is notified of changes and writes; before that they can access nothing.
   */
  bind(
    capability: Pick<
      SandboxCapability,
      "root" | "writable" | "guardedFiles" | "instructionFile" | "snapshots" | "secretFile" | "knownContents"
    >,
    told?: { readonly changed?: (files: readonly FileChange[]) => void } & Partial<
      Pick<FilesystemScope, "quota" | "passFence">
    >,
  ): void;
  /** Closes what is held open. */
  close(): void;
}

/** Creates a guest's imports. An instance needs them before its call is known, so the capability is bound later. */
export function createWorkspace(openDirectory?: OpenDirectory): Workspace {
  let bound: FilesystemScope | null = null;
  const scope = (): FilesystemScope => {
    if (bound === null) throw new DefectError("the workspace is not bound to a capability");
    return bound;
  };
  return {
    functions: { ...reading(scope), ...searching(scope), ...writing(scope) },
    filesystem: { ...createFileReads(scope), ...createChanges(scope) },
    bind: (
      { root, writable, guardedFiles = [], instructionFile = null, snapshots = null, ...open },
      { changed = () => {}, quota = UNBOUNDED, passFence = () => {} } = {},
    ) => {
      const contentKeeper = createContentKeeper(snapshots, quota);
      const tell = (paths: readonly string[]): void => changed(paths.map((path) => contentKeeper.change(path)));
      bound = {
        resolver: new PathResolver(root, openDirectory),
        refuseSecret: createSecretGuard(open),
        writable,
        passFence,
        isInstructionFile: instructionFileCheck(root, guardedFiles),
        instructionFile,
        quota,
        contentKeeper,
        changed: tell,
      };
    },
    close: () => {
      bound?.resolver[Symbol.dispose]();
      bound = null;
    },
  };
}

type GetScope = () => FilesystemScope;

function reading(
  scope: GetScope,
): Pick<WorkspaceImport, "inspect" | "readLines" | "readWhole" | "readEncoded" | "hashFile"> {
  const resolver = (): PathResolver => scope().resolver;
  const withContent = <T>(path: string, use: (fd: number) => T): T =>
    refusing(path, () => {
      const place = resolver().find(path);
      return withFile(place, path, (fd) => {
        refuseOpenSecret(scope().refuseSecret, place.relative, fd);
        return use(fd);
      });
    });
  const withBytes = <T>(path: string, use: (bytes: ReturnType<typeof readWhole>) => T): T =>
    withContent(path, (fd) => use(readWhole(fd, path)));
  return {
    inspect: (path) => refusing(path, () => inspect(findOrNull(resolver(), path), path)),
    readLines: (path, first, count) => withContent(path, (fd) => readLines(fd, first, count)),
    readWhole: (path) => withBytes(path, (bytes) => ({ text: decoded(bytes, path), sha256: hashOf(bytes) })),
    readEncoded: (path) => withBytes(path, (bytes) => ({ base64: bytes.toString("base64"), sha256: hashOf(bytes) })),
    hashFile: (path) =>
      refusing(path, () => {
        const place = findOrNull(resolver(), path);
        return place?.stats ? withFile(place, path, hashFile) : undefined;
      }),
  };
}

function searching(scope: GetScope): Pick<WorkspaceImport, "listFiles" | "modified" | "readMatching"> {
  const resolver = (): PathResolver => scope().resolver;
  return {
    listFiles: (path, options) =>
      refusing(path, () => {
        const { paths, cut } = listFiles(resolver(), path, options);
        return { paths: paths.join("\0"), cut };
      }),
    modified: (paths) =>
      refusing("", () =>
        split(paths)
          .map((path) => modifiedMs(resolver(), path))
          .join("\0"),
      ),
    readMatching: (paths, first, prefilter) =>
      refusing("", () => {
        const batch = readMatching(scope(), { paths: split(paths), first, prefilter });
        return { ...batch, paths: batch.paths.join("\0") };
      }),
  };
}

function writing(scope: () => FilesystemScope): Pick<WorkspaceImport, "hashText" | "replaceFile"> {
  return {
    hashText: (text) => hashOf(text),
    replaceFile: (path, text, before) => {
      const { resolver, writable, isInstructionFile, instructionFile, contentKeeper, quota, passFence } = scope();
      // The resolved path is checked too, so that a link cannot evade the protection.
      const refuse = (file: string) => {
        if (file !== instructionFile && isInstructionFile(file)) throw instructionRefusal(file);
      };
      if (!writable) throw new Refusal("Writing is not permitted here.");
      refuse(path);
      passFence();
      refusing(path, () => {
        const make = () => withDirectoryQuota(quota, path, (made) => resolver.make(path, { check: () => {}, made }));
        const place = before === undefined ? make() : resolver.find(path);
        refuse(place.relative);
        if (path !== instructionFile && changesScripts(place.relative, packageText(place), text)) {
          throw instructionRefusal(path);
        }
        contentKeeper.file(place);
        const more = allocatedBytes(Buffer.byteLength(text)) - freedBytes(place.stats);
        withQuota(quota, more, () => replaceFile(place, path, { content: text, before: before ?? null }));
      });
    },
  };
}

function inspect(place: ResolvedPath | null, path: string): ReturnType<WorkspaceImport["inspect"]> {
  if (place === null || place.stats === null) return { kind: "missing", size: 0n, mediaType: "" };
  if (place.stats.isDirectory()) return { kind: "directory", size: 0n, mediaType: "" };
  return withFile(place, path, (fd, stats) => ({
    kind: "file",
    size: BigInt(stats.size),
    mediaType: mediaTypeOf(inUtf8(readHead(fd, HEAD_BYTES))),
  }));
}

const BY_SHELL = "In bash, sed -i can change its ASCII text and leaves all other bytes unchanged.";

/** Decodes the text with its byte order mark; refuses a file that would not survive decoding. */
function decoded(bytes: Buffer, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    if (inUtf8(bytes) !== bytes)
      throw new Refusal(`${path} is UTF-16, which can be read and replaced, but not edited.`);
    throw new Refusal(`${path} is not valid UTF-8; it cannot be edited as text. ${BY_SHELL}`);
  }
}

function modifiedMs(resolver: PathResolver, path: string): number {
  const modified = unlessRefused(() => {
    const { directory, name } = resolver.find(path);
    return Math.floor(lstatSync(directory.at(name)).mtimeMs);
  });
  return modified ?? 0;
}

function split(paths: string): string[] {
  return paths === "" ? [] : paths.split("\0");
}
