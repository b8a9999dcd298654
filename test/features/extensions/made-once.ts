import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { systemCode } from "../../../src/core/protocol/system-code.ts";

const KEPT = fileURLToPath(new URL("../../../node_modules/.cache/deckhand-components", import.meta.url));

/** Path of the file or directory cached for these sources across test runs. */
export function keptAs(name: string, sources: readonly string[]): string {
  return path.join(KEPT, `${name}-${createHash("sha256").update(JSON.stringify(sources)).digest("hex")}`);
}

/** Returns the cached result of `make` for these sources, or makes and caches it. */
export async function madeOnce(
  name: string,
  sources: readonly string[],
  make: () => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const file = keptAs(name, sources);
  const kept = readOrNull(file);
  if (kept !== null) return kept;
  const made = await make();
  mkdirSync(KEPT, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, made);
  renameSync(unfinished, file);
  return made;
}

function readOrNull(file: string): Uint8Array | null {
  try {
    return Uint8Array.from(readFileSync(file));
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** The version of an installed package, which affects a toolchain's output. */
export function versionOf(name: string): string {
  const file = new URL(`../../../node_modules/${name}/package.json`, import.meta.url);
  return `${name} ${JSON.parse(readFileSync(file, "utf8")).version}`;
}
