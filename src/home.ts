import { randomBytes } from "node:crypto";
import { access, constants, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { ConfigError } from "./core/protocol/errors.ts";
import { systemCode } from "./core/protocol/system-code.ts";
import { createDirectory } from "./core/store/database/create-directory.ts";
import { readOrCreateFile } from "./core/store/database/create-once.ts";
import { restrictToOwner } from "./core/store/database/restrict-to-owner.ts";

/** Access for the owner only, because conversations should not be readable by other users of the machine. */
const PRIVATE = 0o700;

/**
 * Creates a directory of the program if it is missing, and closes it to other users of the machine in any case. Throws
 * ConfigError with one line if it is not writable.
 */
export async function requireOwn(directory: string, variable: string): Promise<void> {
  try {
    await createDirectory(directory, PRIVATE);
    // The slash makes a file at that path an error.
    await access(`${directory}${path.sep}`, constants.W_OK);
    await restrictToOwner(directory, PRIVATE);
  } catch (cause) {
    const reason = systemCode(cause) ?? "unknown";
    throw new ConfigError([
      `${variable}: ${directory} cannot be written (${reason}). Make it writable for this user, or set ${variable} to another directory.`,
    ]);
  }
}

/** Absolute paths of the operator's own instruction files, in the order in which agents read them. */
export function instructionFiles({ home }: { readonly home: string }): string[] {
  return [path.join(home, "AGENTS.md"), ...userHome().map((own) => path.join(own, ".config/agents/AGENTS.md"))];
}

/**
 * The user's home directory. Empty for a user without a name and without HOME, as is common in containers and under
 * supervisors.
 */
function userHome(): string[] {
  try {
    return [homedir()];
  } catch {
    return [];
  }
}

/** The directory that keeps earlier contents of files before tools change them, outside every sandbox root. */
export function snapshotsOf({ home }: { readonly home: string }): string {
  return path.join(home, "snapshots");
}

/** The default path of the SQLite database, if DATABASE_URL is not set. */
export function sqliteFileOf({ home }: { readonly home: string }): string {
  return path.join(home, "deckhand.db");
}

/** The file of the page's token. */
const TOKEN = "web-token";

/** The page's token; null if no start has created it yet. */
export async function keptWebToken(home: string): Promise<string | null> {
  const token = await readFile(path.join(home, TOKEN), "utf8").catch(() => null);
  return token === null ? null : token.trim();
}

/** The page's token. It is created at the first start and kept, so that open pages reconnect after a restart. */
export async function webToken(home: string): Promise<string> {
  const file = path.join(home, TOKEN);
  try {
    return (await readOrCreateFile(file, () => `${randomBytes(24).toString("base64url")}\n`)).trim();
  } catch (error) {
    const [problem] = await closedIn(home, [TOKEN]);
    throw problem === undefined ? error : new ConfigError([problem]);
  }
}

/** What the program itself writes into its home. The operator's own files there may be read-only. */
const WRITTEN = [TOKEN, "bindings", "executors", "sites", "snapshots"];

/** One line for each of them that this user may not change, as after a command that root has run. */
export async function closedIn(home: string, names: readonly string[] = WRITTEN): Promise<readonly string[]> {
  const refusal = (place: string, mode: number) => access(place, mode).then(() => undefined, systemCode);
  if ((await refusal(home, constants.X_OK)) !== undefined) return [];
  const problems = names.map(async (name) => {
    const file = path.join(home, name);
    const code = await refusal(file, constants.R_OK | constants.W_OK);
    const line = `DECKHAND_HOME: ${file} cannot be written (${code}). If another user has run Deckhand, give everything in ${home} to this one (chown -R).`;
    return code === undefined || code === "ENOENT" ? [] : [line];
  });
  return (await Promise.all(problems)).flat();
}
