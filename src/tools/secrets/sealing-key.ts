import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readFile } from "node:fs/promises";
import path from "node:path";
import { systemCode } from "../../core/protocol/system-code.ts";
import { createFileOnce } from "../../core/store/database/create-once.ts";

const KEY_BYTES = 32;
/** Permission bits of the machine's other users. */
const OTHERS = 0o077;

/** The 32 bytes that stored secrets are encrypted with, or a sentence why there are none. */
export type SealingKey = { readonly key: Uint8Array } | { readonly problem: string };

/** Parses the value of DECKHAND_SECRET_KEY; null if it is not such a key. */
export function readSealingKey(written: string): Uint8Array | null {
  const isHex = /^[\da-f]{64}$/iu.test(written);
  const bytes = isHex ? Buffer.from(written, "hex") : Buffer.from(written, "base64");
  return bytes.length === KEY_BYTES && (isHex || /^[\w+/-]{43}=?$/u.test(written)) ? new Uint8Array(bytes) : null;
}

/** Directory of the program's own sealing key and of the files that signal changed secrets. */
export function keysDirectory(home: string): string {
  return path.join(home, "keys");
}

/** The key of the environment, or else of a file in the home, which is created if it is missing and `isNeeded`. */
export async function sealingKey(
  { home, given }: { readonly home: string; readonly given: Uint8Array | null },
  isNeeded: boolean,
): Promise<SealingKey> {
  if (given !== null) return { key: given };
  const file = path.join(keysDirectory(home), "secret.key");
  if (isNeeded) await makeKey(file);
  try {
    return await readKey(file);
  } catch (error) {
    if (systemCode(error) === "ENOENT")
      return {
        problem: `${file} is gone, and DECKHAND_SECRET_KEY is not set: bring it back, or set the stored secrets anew.`,
      };
    return { problem: `${file} cannot be read (${systemCode(error) ?? "unknown error"}).` };
  }
}

async function makeKey(file: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await createFileOnce(file, `${randomBytes(KEY_BYTES).toString("base64")}\n`);
}

async function readKey(file: string): Promise<SealingKey> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { mode } = await handle.stat();
  if ((mode & OTHERS) !== 0) {
    const rights = (mode & 0o777).toString(8);
    return { problem: `${file} is open to others (mode ${rights}). Run: chmod 600 ${file}` };
  }
  const key = readSealingKey((await readFile(handle, "utf8")).trim());
  return key === null
    ? {
        problem: `${file} holds no key of 32 bytes. Put the right one back, or remove it and set the stored secrets anew.`,
      }
    : { key };
}
