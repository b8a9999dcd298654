import { chmod, stat } from "node:fs/promises";
import { unlessFails } from "../../protocol/system-code.ts";

/** Permissions of the group and of all others, as mode bits. */
const OTHERS = 0o077;

/**
 * Errors that are ignored: the file belongs to another user, as a container's volume may, or the file system has no
 * modes or is read-only.
 */
const NOT_OURS = ["EPERM", "ENOTSUP", "EROFS"];

/** Removes the permissions of all but the owner from a file or directory. A missing one is no error. */
export async function restrictToOwner(place: string, mode: 0o600 | 0o700): Promise<void> {
  const found = await stat(place).catch(() => null);
  if (found === null || (found.mode & OTHERS) === 0) return;
  await unlessFails(NOT_OURS, chmod(place, mode));
}
