import { accessSync, constants, existsSync, mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { loadAgents, type PageAgents } from "../../agents.ts";
import { agentProblems } from "../../channel-config.ts";
import type { Listener } from "../../config/feature-settings.ts";
import { listenersOf } from "../../config/ports.ts";
import type { Config } from "../../config/resolve.ts";
import type { DefinitionTexts } from "../../core/agents/page-definitions.ts";
import { ConfigError, NO_ROOM, StoreError } from "../../core/protocol/errors.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { sqlitePath } from "../../core/store/database/connection/database-url.ts";
import { type Probed, probeDatabase } from "../../core/store/probe.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import { sizeText } from "../../core/text/sizes.ts";
import { leftBehind } from "../../moving/left-behind.ts";
import { nodeProblem } from "../node-version.mjs";
import { bad, type Finding, good } from "./finding.ts";

export function checkNode(version: string): Finding {
  const problem = nodeProblem(version);
  return problem === null ? good(`Node ${version}`) : bad(problem);
}

/** What `npm run build` makes, by a file that proves it. */
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

/** An operator hears of a disk that has less left. Bytes. */
const LITTLE_ROOM = 100_000_000;

/** So much is written for a try: a file without content needs no room on some disks. Bytes. */
const TRIED = 64 * 1_024;

/** Tries it, in the nearest folder that exists: permission bits do not tell about read-only mounts. */
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
    const text = `${name} ${directory}: its disk has ${sizeText(bavail * bsize)} left. Make room.`;
    return { ok: true, isWarning: true, text };
  } catch (error) {
    const code = systemCode(error);
    const mend = NO_ROOM.has(code) ? "Its disk is full: make room." : `Give this user the right to, or set ${name}.`;
    return bad(`${name} ${directory} cannot be written (${code ?? "unknown error"}). ${mend}`);
  }
}

/** SQLite writes beside the file, too; where there is no file yet, the directory is all that can be wrong. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  const { kind, url } = config.database;
  const more: Finding[] = [];
  try {
    more.push(...strangersIn(await probeDatabase(url), config));
    if (kind === "postgresql") {
      const { requireServer } = await import("../../core/store/database/postgresql-server.ts");
      const scarce = await requireServer({ ...config.database, engine: config.engine });
      const warnings = [...scarce, ...(await leftBehind(config))];
      more.push(...warnings.map((text) => ({ ok: true, isWarning: true as const, text })));
    }
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(bad);
    if (error instanceof StoreError) return [bad(MIXED_UP)];
    throw error;
  }
  if (kind === "postgresql") return [good("PostgreSQL answers, and its user may do what is needed"), ...more];
  const file = sqlitePath(url);
  const directory = checkWritable("DATABASE_URL", path.dirname(file));
  return [directory.ok ? good(`SQLite database ${file}`) : directory, ...more];
}

function strangersIn({ strangers }: Probed, { access }: Config): Finding[] {
  const left = strangers.filter(({ id }) => access.workspaces?.includes(id) !== true);
  return left.map(({ id, name }) => ({
    ok: true,
    isWarning: true,
    text: `${plainLine(name, 60)} (${id}) asked for something and is not served: \`access.workspaces\` lets it in`,
  }));
}

const MIXED_UP =
  "DATABASE_URL: this database's migrations are not those of this version, or one failed half-way. Restore a backup, or name another database.";

export function checkPlatforms(config: Config): Finding[] {
  const slack =
    config.slack === null ? "off; SLACK_BOT_TOKEN turns it on" : `tokens are set (${config.slack.mode.type})`;
  const discord = config.discord === null ? "off; DISCORD_TOKEN turns it on" : "token is set";
  return [good(`Slack: ${slack}`), good(`Discord: ${discord}`)];
}

/** Rights of those who are neither the owner nor of the group, as bits of a mode. */
const STRANGERS = 0o007;

/**
 * Directories of channels that are not there: the first message would make an empty one of what may be a slip. Those that
 * others of the machine can enter are the operator's own: they are named and left as they are.
 */
export function checkDirectories({ channels }: Config): Finding[] {
  return Object.entries(channels).flatMap(([channel, { directory }]) => {
    if (directory === undefined) return [];
    const setting = `channels.${channel}.directory`;
    try {
      const found = statSync(directory);
      if (!found.isDirectory()) return [bad(`${setting}: ${directory} is no directory.`)];
      const isOpen = (found.mode & STRANGERS) !== 0;
      return isOpen ? [good(`${setting}: other users of this machine can enter ${directory}`)] : [];
    } catch (error) {
      const code = systemCode(error) ?? "unknown error";
      if (code === "ENOENT") return [bad(`${setting}: there is no ${directory}. Create it, or mend the path.`)];
      return [bad(`${setting}: ${directory} cannot be entered (${code}). Let this user enter it, or mend the path.`)];
    }
  });
}

/** Whether the system confines the sandbox's process; it is tried. */
export async function checkConfinement(config: Config): Promise<Finding[]> {
  const { confinementOf } = await import("../../open-toolbox.ts"); // with all tools, which nothing else here needs
  const confinement = confinementOf(config);
  if (confinement === null) return []; // which is among the warnings of the settings
  const problem = await confinement.problem();
  if (problem === null) return [good("the sandbox's process is confined by bubblewrap")];
  if (confinement.isRequired) return [bad(`confinement: is required, and ${problem}`)];
  return [{ ok: true, isWarning: true, text: `the sandbox's process is not confined by the system: ${problem}` }];
}

/**
 * Agents that are missing or have no tools, because something is wrong with their file or setting, or with a name; and what
 * of their files has no effect.
 */
export function checkAgents(config: Config, page: PageAgents): Finding[] {
  const { problems, notes } = loadAgents(config, page);
  const warnings = notes.map((text) => ({ ok: true, isWarning: true as const, text }));
  return [...[...problems, ...agentProblems(config, page)].map(bad), ...warnings];
}

/** Skills and commands of the home and the page that do not load. Those of a channel's directory people hear of there. */
export async function checkSkills(config: Config, fromPage: DefinitionTexts): Promise<Finding[]> {
  const { skillProblems } = await import("../../open-toolbox.ts");
  return skillProblems(config, fromPage).map((text) => bad(`skills: ${text}`));
}

/** The ports that a start takes: free, or taken while `isRunning` says that the program of this home runs. */
export async function checkPorts(config: Config, isRunning: IsRunning): Promise<Finding[]> {
  const tried = await Promise.all(
    listenersOf(config).map(async (listener) => ({ ...listener, code: await tryPort(listener) })),
  );
  const runs = tried.some(({ code }) => code === "EADDRINUSE") && (await isRunning(config));
  return tried.map(({ setting, hostSetting, host, port, code }) => {
    if (code === null) return good(`${setting}: ${host}:${port} is free`);
    if (runs && code === "EADDRINUSE") return good(`${setting}: ${host}:${port} is taken: Deckhand runs on this home`);
    const mends: Readonly<Record<string, string>> = {
      EADDRINUSE: `Stop the program that has it, or set ${setting}.`,
      EACCES: `It needs more rights than this user has: set ${setting} above 1023.`,
    };
    const mend = mends[code] ?? `Set ${hostSetting} to an address of this machine.`;
    return bad(`${setting}: ${host}:${port} cannot be taken (${code}). ${mend}`);
  });
}

/** Whether what answers at the page's port is the program of this very home. */
export type IsRunning = (config: Config) => Promise<boolean>;

/** Null where it can be taken; otherwise the code of what is wrong. */
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
