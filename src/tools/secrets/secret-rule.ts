import { existsSync, type Stats } from "node:fs";
import { SandboxError } from "../../core/protocol/errors.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import type { FileState } from "../../core/protocol/tool-result.ts";
import type { CallEnvironment, CallRule } from "../../core/tool.ts";
import type { Label } from "../../core/trust/label.ts";
import { PathResolver, withFile } from "../wasm/workspace/path-resolver.ts";
import { hashFile } from "../wasm/workspace/read-file.ts";
import { openSecretKind } from "./secret-files.ts";

/** A file that looks like a secret. */
export interface SecretFile {
  /** Relative to the root, links resolved. */
  readonly path: string;
  /** What it looks like, in a few words. */
  readonly kind: string;
}

/** Bytes of a file that is looked at whole here, where all else waits meanwhile: a larger one is asked for each time. */
const MOST_HASHED = 67_108_864;

/** Null for a path that leads to no file that looks like a secret, or to none at all: a call that needs one fails by itself. */
export function secretAt(
  root: string,
  path: string,
  isKnown: (fd: number, stats: Pick<Stats, "size">) => boolean = () => false,
): SecretFile | null {
  if (!existsSync(root)) return null;
  using resolver = new PathResolver(root);
  try {
    const place = resolver.find(path);
    if (place.stats?.isFile() !== true) return null;
    return withFile(place, path, (fd, stats) => {
      const kind = openSecretKind(place.relative, fd);
      return kind === null || isKnown(fd, stats) ? null : { path: place.relative, kind };
    });
  } catch (error) {
    if (error instanceof SandboxError || systemCode(error) !== undefined) return null;
    throw error;
  }
}

/** What the session has read or written before is no secret to it. */
export function secretRule(path: string, { sandboxRoot, knownFiles = new Map() }: CallEnvironment): CallRule | null {
  const known = new Set(knownFiles.values());
  const secret = secretAt(sandboxRoot, path, (fd, { size }) => {
    return known.size > 0 && size <= MOST_HASHED && known.has(hashFile(fd));
  });
  if (secret === null) return null;
  return {
    type: "ask",
    why: `${secret.path} looks like ${secret.kind}: what it says goes to the model, and may come up in the thread.`,
    always: true,
  };
}

/** What a call is given that a person has allowed to read such a file. */
export function allowedSecret(
  path: string,
  { sandboxRoot, approved }: { readonly sandboxRoot: string; readonly approved: boolean },
): { readonly secretFile?: string } {
  const secret = approved ? secretAt(sandboxRoot, path) : null;
  return secret === null ? {} : { secretFile: secret.path };
}

export const READ_SECRET = "Read a file that looks like a secret?";

/** What a result holds in which such a file is. */
export const SECRETS: Label = { who: [], holds: ["files", "secrets"] };

/** Files that a program has left: what it has moved or copied unread stays as unknown to the session as it was. */
export function withUnreadSecrets(
  root: string,
  files: readonly FileState[],
  known: ReadonlyMap<string, string>,
): FileState[] {
  const contents = new Set(known.values());
  return files.map((file) => {
    const isUnread = file.sha256 !== null && !contents.has(file.sha256) && secretAt(root, file.path) !== null;
    return isUnread ? { ...file, sealed: true } : file;
  });
}
