import { randomBytes } from "node:crypto";
import { access, constants, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { ConfigError } from "./core/protocol/errors.ts";
import { systemCode } from "./core/protocol/system-code.ts";
import { closeToOthers } from "./core/store/database/close-to-others.ts";
import { createDirectory } from "./core/store/database/create-directory.ts";
import { madeOnce } from "./core/store/database/made-once.ts";

/** For the owner alone: what people say to the agent is nothing for the machine's other users. */
const PRIVATE = 0o700;

/**
 * Creates a directory of Deckhand's own when missing, and closes it to the machine's other users also where it is
 * there already; ConfigError with one line when it cannot be written.
 */
export async function requireOwn(directory: string, variable: string): Promise<void> {
  try {
    await createDirectory(directory, PRIVATE);
    // The slash makes a file in the directory's place an error.
    await access(`${directory}${path.sep}`, constants.W_OK);
    await closeToOthers(directory, PRIVATE);
  } catch (cause) {
    const reason = systemCode(cause) ?? "unknown";
    throw new ConfigError([
      `${variable}: ${directory} cannot be written (${reason}). Make it writable for this user, or set ${variable} to another directory.`,
    ]);
  }
}

/** The operator's own instruction files, in the order in which agents read them: absolute paths. */
export function instructionFiles({ home }: { readonly home: string }): string[] {
  return [path.join(home, "AGENTS.md"), ...userHome().map((own) => path.join(own, ".config/agents/AGENTS.md"))];
}

/** None of a user who is but a number to the system, and without HOME: containers and supervisors run programs as such. */
function userHome(): string[] {
  try {
    return [homedir()];
  } catch {
    return [];
  }
}

/** Where what files held is kept before tools change them: beneath no sandbox root. */
export function snapshotsOf({ home }: { readonly home: string }): string {
  return path.join(home, "snapshots");
}

/** Where SQLite keeps everything, unless DATABASE_URL names another place. */
export function sqliteFileOf({ home }: { readonly home: string }): string {
  return path.join(home, "deckhand.db");
}

/** The page's token; null where no start has made it. */
export async function keptWebToken(home: string): Promise<string | null> {
  const token = await readFile(path.join(home, "web-token"), "utf8").catch(() => null);
  return token === null ? null : token.trim();
}

/** The page's token, made at first start and kept, so that open pages come back after a restart. */
export async function webToken(home: string): Promise<string> {
  const token = await madeOnce(path.join(home, "web-token"), () => `${randomBytes(24).toString("base64url")}\n`);
  return token.trim();
}
