import { writeFileSync } from "node:fs";
import path from "node:path";
import { type Config, loadConfig } from "../../../src/config.ts";
import { ConfigError } from "../../../src/core/protocol/errors.ts";
import { FEATURES } from "../../../src/features/features.ts";
import { tempDirectory } from "../temp-directory.ts";

/** An operator's settings; `file` is the JSON file's text or bytes. */
export interface Given {
  readonly env?: Record<string, string>;
  readonly file?: unknown;
  readonly dotenv?: string;
}

export function directoryWith({ file, dotenv }: Given): string {
  const cwd = tempDirectory();
  if (file !== undefined) {
    const isWritten = typeof file === "string" || file instanceof Uint8Array;
    writeFileSync(path.join(cwd, "deckhand.config.json"), isWritten ? file : JSON.stringify(file));
  }
  if (dotenv !== undefined) writeFileSync(path.join(cwd, ".env"), dotenv);
  return cwd;
}

export function load(given: Given): Config {
  return loadConfig({ env: given.env ?? {}, cwd: directoryWith(given) }, FEATURES);
}

export function problemsOf(given: Given): readonly string[] {
  try {
    load(given);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}
