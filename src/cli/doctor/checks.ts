import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { loadAgents, type PageAgents } from "../../agents.ts";
import { agentProblems } from "../../channel-config.ts";
import type { Listener } from "../../config/feature-settings.ts";
import { listenersOf } from "../../config/ports.ts";
import type { Config } from "../../config/resolve.ts";
import type { DefinitionTexts } from "../../core/agents/page-definitions.ts";
import { ConfigError, DISK_FULL_CODES, StoreError } from "../../core/protocol/errors.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { sqlitePath } from "../../core/store/database/connection/database-url.ts";
import { type ProbeResult, probeDatabase } from "../../core/store/probe.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import { sizeText } from "../../core/text/sizes.ts";
import { unmigratedSqlite } from "../../moving/unmigrated-sqlite.ts";
import { nodeProblem } from "../node-version.mjs";
import { bad, type Finding, good, warned } from "./finding.ts";

export function checkNode(version: string): Finding {
  const problem = nodeProblem(version);
  return problem === null ? good(`Node ${version}`) : bad(problem);
}

/** Artefacts of `npm run build`, each with files that prove it. */
const COMPONENTS = [
  { name: "database clients", files: ["prisma/sqlite/generated/client.ts", "prisma/postgresql/generated/client.ts"] },
  { name: "sandbox guests", files: ["build/wasm/files/build.json"] },
  { name: "web page", files: ["build/web/index.html"] },
];

export function checkComponents(root: string): Finding {
  const missing = COMPONENTS.filter(({ files }) => files.some((file) => !existsSync(path.join(root, file))));
  if (missing.length === 0) return good("components are built");
  const names = missing.map(({ name }) => name).join(", ");
  return bad(`not built: ${names}. Run \`npm run build\`.`);
}

/** Free space below which a disk is reported. In bytes. */
const LITTLE_ROOM = 100_000_000;

/** Bytes written as a test, because empty files need no space on some disks. */
const TRIED = 64 * 1_024;

/** Writes a test file into the nearest existing directory, because permission bits do not reveal read-only mounts. */
export function checkWritable(name: string, directory: string, { littleBytes = LITTLE_ROOM } = {}): Finding {
  const existing = nearestExisting(directory);
  try {
    accessSync(existing, constants.W_OK);
    const tried = mkdtempSync(path.join(existing, ".deckhand-doctor-"));
    try {
      writeFileSync(path.join(tried, "room"), Buffer.alloc(TRIED));
    } finally {
      rmSync(tried, { recursive: true });
    }
    const { bavail, bsize } = statfsSync(existing);
    if (bavail * bsize >= littleBytes) return good(`${name} ${directory} is writable`);
    return warned(`${name} ${directory}: its disk has only ${sizeText(bavail * bsize)} left. Free up space.`);
  } catch (error) {
    const code = systemCode(error);
    const remedy = DISK_FULL_CODES.has(code)
      ? "Its disk is full. Free up space."
      : `Give this user write permission, or set ${name} to another directory.`;
    return bad(`${name} ${directory} cannot be written (${code ?? "unknown error"}). ${remedy}`);
  }
}

/** Checks the database. SQLite also writes files beside the database file, so its directory is checked. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const { kind, url } = config.database;
  const more: Finding[] = [];
  try {
    more.push(...unservedIn(await probeDatabase(url), config));
    if (kind === "postgresql") {
      const { requireServer } = await import("../../core/store/database/postgresql-server.ts");
      const scarce = await requireServer({ ...config.database, engine: config.engine });
      more.push(...[...scarce, ...(await unmigratedSqlite(config))].map(warned));
    }
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(bad);
    if (error instanceof StoreError) return [bad(MIXED_UP)];
    throw error;
  }
  if (kind === "postgresql") return [good("PostgreSQL answers, and its user has the required privileges"), ...more];
  const file = sqlitePath(url);
  const parent = path.dirname(file);
  const directory = checkWritable(parent === config.home ? "DECKHAND_HOME" : "DATABASE_URL", parent);
  return [directory.ok ? good(`SQLite database ${file}`) : directory, ...more];
}

function unservedIn({ unservedWorkspaces }: ProbeResult, { access }: Config): Finding[] {
  const left = unservedWorkspaces.filter(({ id }) => access.workspaces?.includes(id) !== true);
  return left.map(({ id, name }) =>
    warned(
      `${plainLine(name, 60)} (${id}) asked for something but is not served: add it to \`access.workspaces\` to serve it`,
    ),
  );
}

const MIXED_UP =
  "DATABASE_URL: the migrations of this database do not match this version, or one of them failed partway. Restore a backup, or use another database.";

export function checkPlatforms(config: Config): Finding[] {
  const slack =
    config.slack === null ? "off; set SLACK_BOT_TOKEN to turn it on" : `tokens are set (${config.slack.mode.type})`;
  const discord = config.discord === null ? "off; set DISCORD_TOKEN to turn it on" : "token is set";
  return [good(`Slack: ${slack}`), good(`Discord: ${discord}`)];
}

/** Permission bits of users who are neither the owner nor in the group. */
const STRANGERS = 0o007;

/**
 * Reports missing directories of channels, since the first message would create an empty one for a misspelt path. Names
 * those that other users can enter, without changing them.
 */
export function checkDirectories({ channels }: Config): Finding[] {
  return Object.entries(channels).flatMap(([channel, { directory }]) => {
    if (directory === undefined) return [];
    const setting = `channels.${channel}.directory`;
    try {
      const found = statSync(directory);
      if (!found.isDirectory()) return [bad(`${setting}: ${directory} is not a directory.`)];
      const isOpen = (found.mode & STRANGERS) !== 0;
      return isOpen ? [good(`${setting}: other users of this machine can access ${directory}`)] : [];
    } catch (error) {
      const code = systemCode(error) ?? "unknown error";
      if (code === "ENOENT") return [bad(`${setting}: ${directory} does not exist. Create it, or correct the path.`)];
      return [
        bad(`${setting}: ${directory} cannot be accessed (${code}). Give this user access, or correct the path.`),
      ];
    }
  });
}

/** Tests whether the system can confine the sandbox's process. */
export async function checkConfinement(config: Config): Promise<Finding[]> {
  const { confinementOf } = await import("../../open-toolbox.ts"); // Loads all tools, which nothing else here needs.
  const confinement = confinementOf(config);
  if (confinement === null) return []; // reported among the warnings of the settings
  const problem = await confinement.problem();
  if (problem === null) return [good("the sandbox's process is confined by bubblewrap")];
  if (confinement.isRequired) return [bad(`confinement: is required, but ${problem}`)];
  return [warned(`the sandbox's process is not confined by the operating system: ${problem}`)];
}

/**
 * Reports agents that are missing or have no tools because of a mistake in their file, setting or name, and parts of
 * agents' files that have no effect.
 */
export function checkAgents(config: Config, page: PageAgents): Finding[] {
  const { problems, notes } = loadAgents(config, page);
  return [...[...problems, ...agentProblems(config, page)].map(bad), ...notes.map(warned)];
}

/** Reports skills and commands of the home and the page that fail to load. Channels report those of their own. */
export async function checkSkills(config: Config, fromPage: DefinitionTexts): Promise<Finding[]> {
  const { skillProblems } = await import("../../open-toolbox.ts");
  return skillProblems(config, fromPage).map((text) => bad(`skills: ${text}`));
}

/** Checks the ports of a start. A port in use is fine if `isRunning` says that this home's program runs. */
export async function checkPorts(config: Config, isRunning: IsRunning): Promise<Finding[]> {
  const tried = await Promise.all(
    listenersOf(config).map(async (listener) => ({ ...listener, code: await tryPort(listener) })),
  );
  const runs = tried.some(({ code }) => code === "EADDRINUSE") && (await isRunning(config));
  return tried.map(({ setting, hostSetting, host, port, code }) => {
    if (code === null) return good(`${setting}: ${host}:${port} is free`);
    if (runs && code === "EADDRINUSE")
      return good(`${setting}: ${host}:${port} is in use: Deckhand is running on this home directory`);
    const remedies: Readonly<Record<string, string>> = {
      EADDRINUSE: `Stop the program that uses it, or set ${setting} to another port.`,
      EACCES: `This user may not use it: set ${setting} to a port above 1023.`,
    };
    const remedy = remedies[code] ?? `Set ${hostSetting} to an address of this machine.`;
    return bad(`${setting}: ${host}:${port} cannot be used (${code}). ${remedy}`);
  });
}

/** Whether the program that answers at the page's port belongs to this home directory. */
export type IsRunning = (config: Config) => Promise<boolean>;

/** Null if the port is free; otherwise the error code. */
function tryPort({ host, port }: Listener): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(systemCode(error) ?? "unknown error"));
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

function nearestExisting(directory: string): string {
  const parent = path.dirname(directory);
  return existsSync(directory) || parent === directory ? directory : nearestExisting(parent);
}
