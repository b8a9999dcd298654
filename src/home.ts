import { randomBytes } from "node:crypto";
import { access, constants, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { ConfigError } from "./core/protocol/errors.ts";
import { systemCode } from "./core/protocol/system-code.ts";
import { createDirectory } from "./core/store/create-directory.ts";

/** For the owner alone: what people say to the agent is nothing for the machine's other users. */
export const PRIVATE = 0o700;

/** Creates the directory when missing; ConfigError with one line when it cannot be written. */
export async function requireWritable(directory: string, variable: string, mode = 0o777): Promise<void> {
  try {
    await createDirectory(directory, mode);
    // The slash makes a file in the directory's place an error.
    await access(`${directory}${path.sep}`, constants.W_OK);
  } catch (cause) {
    const reason = systemCode(cause) ?? "unknown";
    throw new ConfigError([
      `${variable}: ${directory} cannot be written (${reason}). Make it writable for this user, or set ${variable} to another directory.`,
    ]);
  }
}

/** The operator's own instruction files, in the order in which agents read them: absolute paths. */
export function instructionFiles({ home }: { readonly home: string }): string[] {
  return [path.join(home, "AGENTS.md"), path.join(homedir(), ".config/agents/AGENTS.md")];
}

/** Where what files held is kept before tools change them: beneath no sandbox root. */
export function snapshotsOf({ home }: { readonly home: string }): string {
  return path.join(home, "snapshots");
}

/** Where jobs are kept in a file by those who do. */
export function jobsFileOf({ home }: { readonly home: string }): string {
  return path.join(home, "jobs.json");
}

/** The page's token, made at first start and kept, so that open pages come back after a restart. */
export async function webToken(home: string): Promise<string> {
  const file = path.join(home, "web-token");
  const token = randomBytes(24).toString("base64url");
  try {
    await writeFile(file, `${token}\n`, { mode: 0o600, flag: "wx" });
    return token;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    return (await readFile(file, "utf8")).trim();
  }
}
