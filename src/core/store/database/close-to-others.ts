import { chmod, stat } from "node:fs/promises";
import { unlessFails } from "../../protocol/system-code.ts";

/** Rights of the group and of all others, as bits of a mode. */
const OTHERS = 0o077;

/** What belongs to somebody else, as a container's volume may, and a file system without modes stay as they are. */
const NOT_OURS = ["EPERM", "ENOTSUP", "EROFS"];

/** Takes the rights to a file or directory from all but its owner. What is not there is no mistake. */
export async function closeToOthers(place: string, mode: 0o600 | 0o700): Promise<void> {
  const found = await stat(place).catch(() => null);
  if (found === null || (found.mode & OTHERS) === 0) return;
  await unlessFails(NOT_OURS, chmod(place, mode));
}
