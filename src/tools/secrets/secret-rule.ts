import { existsSync } from "node:fs";
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
  readonly sha256: string;
}

/** Null for a path that leads to no file that looks like a secret, or to none at all: a call that needs one fails by itself. */
export function secretAt(root: string, path: string): SecretFile | null {
  if (!existsSync(root)) return null;
  using resolver = new PathResolver(root);
  try {
    const place = resolver.find(path);
    if (place.stats?.isFile() !== true) return null;
    return withFile(place, path, (fd) => {
      const kind = openSecretKind(place.relative, fd);
      return kind === null ? null : { path: place.relative, kind, sha256: hashFile(fd) };
    });
  } catch (error) {
    if (error instanceof SandboxError || systemCode(error) !== undefined) return null;
    throw error;
  }
}

/** What the session has read or written before is no secret to it. */
export function secretRule(path: string, { sandboxRoot, knownFiles = new Map() }: CallEnvironment): CallRule | null {
  const secret = secretAt(sandboxRoot, path);
  if (secret === null || [...knownFiles.values()].includes(secret.sha256)) return null;
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
