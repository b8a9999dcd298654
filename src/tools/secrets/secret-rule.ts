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
  /** Relative to the root, with links resolved. */
  readonly path: string;
  /** What kind of secret it looks like, in a few words. */
  readonly kind: string;
}

/** Maximum bytes of a file that is hashed here, while nothing else runs; larger files need an approval each time. */
const MAX_HASHED = 67_108_864;

/**
 * Null if the path leads to no file, or to one that does not look like a secret. A call that needs the file then fails
 * by itself.
 */
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

/** Contents that the session has read or written before need no approval. */
export function secretRule(path: string, { sandboxRoot, knownFiles = new Map() }: CallEnvironment): CallRule | null {
  const known = new Set(knownFiles.values());
  const secret = secretAt(sandboxRoot, path, (fd, { size }) => {
    return known.size > 0 && size <= MAX_HASHED && known.has(hashFile(fd));
  });
  if (secret === null) return null;
  return {
    type: "ask",
    why: `${secret.path} looks like ${secret.kind}: its content goes to the model, and may appear in the thread.`,
    always: true,
  };
}

/** What a call receives if a person has allowed it to read such a file. */
export function allowedSecret(
  path: string,
  { sandboxRoot, approved }: { readonly sandboxRoot: string; readonly approved: boolean },
): { readonly secretFile?: string } {
  const secret = approved ? secretAt(sandboxRoot, path) : null;
  return secret === null ? {} : { secretFile: secret.path };
}

export const READ_SECRET = "Read a file that looks like a secret?";

/** Label of a result that contains such a file. */
export const SECRETS: Label = { who: [], holds: ["files", "secrets"] };

/**
 * Seals secret files that a program left without the session having read them: after a move or copy they are as unknown
 * to the session as before.
 */
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
