import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { systemCode, unlessFails, unlessMissing } from "../../protocol/system-code.ts";

/** File systems that know no links say one of these. */
const NO_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];
const WHOLE = { mode: 0o600, flag: "wx", flush: true } as const;

/**
 * Puts a text in a file for the owner alone, unless there is one. Under its name it is whole, whatever cuts this off, and
 * who comes second, on whichever machine, finds the first one's: a link never replaces a file, on shared volumes either.
 */
export async function makeOnce(file: string, text: string): Promise<void> {
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

/** The text of such a file, which is made where there is none. */
export async function madeOnce(file: string, make: () => string): Promise<string> {
  const made = await unlessMissing(readFile(file, "utf8"));
  if (made !== null) return made;
  await makeOnce(file, make());
  return readFile(file, "utf8");
}
