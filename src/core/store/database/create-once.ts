import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { systemCode, unlessFails, unlessMissing } from "../../protocol/system-code.ts";

/** Error codes of file systems without hard links. */
const NO_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];
const WHOLE = { mode: 0o600, flag: "wx", flush: true } as const;

/**
 * Writes a text to a file for the owner alone, unless the file exists. A crash never leaves half a text under the final
 * name. A second writer, even on another machine, keeps the first one's file, because a link never replaces a file, not
 * even on a shared volume.
 */
export async function createFileOnce(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  try {
    await writeFile(draft, text, WHOLE);
    await link(draft, file);
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (NO_LINKS.includes(code)) await unlessFails(["EEXIST"], writeFile(file, text, WHOLE));
    else if (code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Returns the text of such a file, after creating it if it is missing. */
export async function readOrCreateFile(file: string, make: () => string): Promise<string> {
  const made = await unlessMissing(readFile(file, "utf8"));
  if (made !== null) return made;
  await createFileOnce(file, make());
  return readFile(file, "utf8");
}
