import { chownSync, readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { driverUrl } from "../../../../src/config/database-url.ts";
import { ConfigError } from "../../../../src/core/protocol/errors.ts";
import { openClusterConnection } from "../../../../src/core/store/cluster/cluster-connection.ts";
import { findMembers } from "../../../../src/core/store/cluster/members.ts";
import { openEnginePool } from "../../../../src/core/store/database/connection/engine-pool.ts";
import { openConnection } from "../../../../src/core/store/database/connection/open-connection.ts";
import { requireServer } from "../../../../src/core/store/database/postgresql-server.ts";
import { openStore } from "../../../../src/core/store/store.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { type PoolerSettings, startPooler } from "../../../support/database/network/pooler.ts";
import { type OwnPostgres, query, startOwnPostgres } from "../../../support/database/postgres.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { VALID } from "../../../tools/network/certificates.ts";

/** Maximum number of connections, three of which are reserved for superusers. */
const MOST = 23;

let postgres: OwnPostgres;
/** URL of the database for the superuser; `url` is that of a plain user. */
let ownerUrl: string;
let url: string;

beforeAll(async () => {
  postgres = await startOwnPostgres({ maxConnections: MOST });
  await query(postgres.url, "CREATE USER plain");
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  ownerUrl = await postgres.createDatabase();
  url = ownerUrl.replace("postgres@", "plain@");
});

async function pooled(settings: PoolerSettings = {}) {
  const pooler = await startPooler(ownerUrl, settings);
  onTestFinished(() => pooler[Symbol.asyncDispose]());
  return { pooler, pooledUrl: pooler.urlOf(url) };
}

/** The single problem with which a start is refused. */
async function refusal(use: { url: string; directUrl: string; engine?: "embedded" | "dbos" }): Promise<string> {
  const error = await requireServer({ engine: "embedded", ...use }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw error;
  expect(error.problems).toHaveLength(1);
  return error.message;
}

/** Opens connections of another client. */
async function occupy(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const client = new Client({ connectionString: ownerUrl });
    client.on("error", () => undefined);
    onTestFinished(() => client.end());
    await client.connect();
  }
}

test("a direct connection to the server is accepted", async () => {
  expect(await requireServer({ url, directUrl: url, engine: "embedded" })).toEqual([]);
  expect(await requireServer({ url: ownerUrl, directUrl: ownerUrl, engine: "dbos" })).toEqual([]);
});

test.each([
  { what: "a server without TLS that is asked for it", change: "?sslmode=require", says: /It does not support TLS/u },
  { what: "a database that is not there", change: "-nope", says: /There is no database with that name/u },
  { what: "a file that is not there", change: "?sslmode=verify-full&sslrootcert=/nope.pem", says: /cannot be read/u },
])("$what is reported", async ({ change, says }) => {
  expect(await refusal({ url: `${url}${change}`, directUrl: `${url}${change}` })).toMatch(says);
});

/** Gives the server a self-signed certificate for another address. */
async function withTls(): Promise<string> {
  const { uid, gid } = statSync(postgres.directory);
  const [cert, key] = ["own.crt", "own.key"].map((name) => path.join(postgres.directory, name));
  for (const [file, text] of [
    [cert, VALID.cert],
    [key, VALID.key],
  ] as const) {
    writeFileSync(file ?? "", text, { mode: 0o600 });
    chownSync(file ?? "", uid, gid);
  }
  for (const set of [`ssl_cert_file = '${cert}'`, `ssl_key_file = '${key}'`, "ssl = on"])
    await query(postgres.url, `ALTER SYSTEM SET ${set}`);
  await query(postgres.url, "SELECT pg_reload_conf()");
  onTestFinished(async () => {
    await query(postgres.url, "ALTER SYSTEM SET ssl = off");
    await query(postgres.url, "SELECT pg_reload_conf()");
  });
  return cert ?? "";
}

async function isEncrypted(address: string): Promise<unknown> {
  const { connection } = await openConnection(address);
  onTestFinished(() => connection.end());
  return (await connection.query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")).rows[0]?.ssl;
}

test("TLS follows sslmode, with and without TLS on the server", async () => {
  const to = (parameters: string) => driverUrl(`${ownerUrl}?${parameters}`);
  expect(await isEncrypted(to("sslmode=prefer"))).toBe(false);
  const authority = await withTls();
  await expect.poll(() => isEncrypted(to("sslmode=prefer"))).toBe(true);
  expect(await isEncrypted(to("sslmode=disable"))).toBe(false);
  expect(await isEncrypted(to("ssl=allow"))).toBe(true);
  expect(await isEncrypted(to(`sslmode=verify-ca&sslrootcert=${authority}`))).toBe(true);
  const refused = (parameters: string) => refusal({ url: to(parameters), directUrl: to(parameters) });
  expect(await refused("ssl=require")).toMatch(/Set sslrootcert=… to the file of its certificate authority/u);
  expect(await refused(`sslmode=prefer&sslrootcert=${authority}`)).toMatch(/it is for another address/u);
  const store = await openStore(to("sslmode=prefer"), systemRuntime());
  onTestFinished(() => store.close());
  const SSL = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
  expect(await store.tables((db) => db.$queryRawUnsafe(SSL))).toEqual([{ ssl: true }]);
  const pool = await openEnginePool(to("sslmode=prefer"), silentLog);
  onTestFinished(() => pool.end());
  expect((await pool.query(SSL)).rows).toEqual([{ ssl: true }]);
});

test("a server that requires TLS, and an unknown user, are reported", async () => {
  const rules = path.join(postgres.directory, "data/pg_hba.conf");
  writeFileSync(rules, `hostnossl all encrypted all reject\n${readFileSync(rules, "utf8")}`);
  await query(postgres.url, "SELECT pg_reload_conf()");
  const [encrypted, unknown] = ["encrypted", "unknown"].map((user) => url.replace("plain@", `${user}@`));
  const refused = () => refusal({ url: encrypted ?? "", directUrl: encrypted ?? "" });
  await expect.poll(refused).toMatch(/\(28000\)\. It requires TLS/u);
  expect(await refusal({ url: unknown ?? "", directUrl: unknown ?? "" })).toMatch(/There is no user with that name/u);
});

const sizes = [{ poolSize: 1 }, { poolSize: 2 }, { poolSize: 10 }];

test.each(sizes)("a pooler of $poolSize connections in place of the server is detected", async (settings) => {
  const { pooler, pooledUrl } = await pooled(settings);
  expect(await refusal({ url: pooledUrl, directUrl: pooledUrl })).toMatch(
    /^DATABASE_URL: points to a pooler .* Set DATABASE_DIRECT_URL to the URL of the database itself\.$/u,
  );
  expect(pooler.sessionState).toEqual([]);
});

test("a pooler with a direct URL to the database is accepted", async () => {
  const { pooler, pooledUrl } = await pooled();
  expect(await requireServer({ url: pooledUrl, directUrl: url, engine: "embedded" })).toEqual([]);
  expect(pooler.sessionState).toEqual([]);
  expect(pooler.transactions()).toBeGreaterThan(0);
});

test("a pooler in session mode is accepted", async () => {
  const { pooledUrl } = await pooled({ mode: "session" });
  expect(await requireServer({ url: pooledUrl, directUrl: pooledUrl, engine: "embedded" })).toEqual([]);
});

test("a direct URL that leads to a pooler is detected", async () => {
  const { pooledUrl } = await pooled();
  expect(await refusal({ url, directUrl: pooledUrl })).toMatch(/^DATABASE_DIRECT_URL: points to a pooler/u);
});

test("two URLs of different databases are detected", async () => {
  const { pooledUrl } = await pooled();
  const other = await postgres.createDatabase();
  expect(await refusal({ url: pooledUrl, directUrl: other })).toMatch(
    /^DATABASE_DIRECT_URL: points to another database than DATABASE_URL\./u,
  );
});

test("a read-only database is detected", async () => {
  const name = new URL(url).pathname.slice(1);
  await query(ownerUrl, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  expect(await refusal({ url, directUrl: url })).toMatch(/^DATABASE_URL: the database is read-only/u);
});

test.each([
  {
    set: "default_transaction_isolation = 'serializable'",
    says: /default_transaction_isolation is serializable\. Run ALTER ROLE/u,
  },
  { set: "DateStyle = 'German'", says: /DateStyle is German, DMY\. Run ALTER ROLE/u },
])("an unsupported setting is detected, also behind a pooler: $set", async ({ set, says }) => {
  await query(ownerUrl, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${set}`);
  expect(await refusal({ url, directUrl: url })).toMatch(says);
  const { pooledUrl } = await pooled();
  expect(await refusal({ url: pooledUrl, directUrl: url })).toMatch(says);
});

test("an encoding that cannot store all text is detected", async () => {
  await query(ownerUrl, "DROP DATABASE IF EXISTS latin");
  await query(ownerUrl, "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'");
  const latin = ownerUrl.replace(/[^/]+$/u, "latin");
  expect(await refusal({ url: latin, directUrl: latin })).toMatch(/server_encoding is LATIN1\. .* ENCODING 'UTF8'/u);
});

test("a frozen process loses its open transaction, also behind a pooler", async () => {
  const { pooledUrl } = await pooled({ mode: "session" });
  const asOwner = pooledUrl.replace("plain@", "postgres@");
  const LIMIT = "SELECT current_setting('idle_in_transaction_session_timeout') AS is";
  for (const [address, is] of [
    [asOwner, "3500ms"],
    [`${ownerUrl}?options=-c%20idle_in_transaction_session_timeout%3D9s`, "9s"],
  ] as const) {
    const store = await openStore(address, systemRuntime(), { isShared: true });
    onTestFinished(() => store.close());
    expect(await store.tables((db) => db.$queryRawUnsafe(LIMIT))).toEqual([{ is }]);
    const pool = await openEnginePool(address, silentLog);
    onTestFinished(() => pool.end());
    expect((await pool.query(LIMIT)).rows).toEqual([{ is }]);
  }
});

test("a pooler that rejects startup parameters is reported", async () => {
  const { pooledUrl } = await pooled();
  const withOptions = `${pooledUrl}?options=-c%20search_path%3Dx`;
  expect(await refusal({ url: withOptions, directUrl: url })).toMatch(/Remove options=… and limits/u);
});

test("engine schemas of another user are detected if inaccessible, and used otherwise", async () => {
  const name = new URL(url).pathname.slice(1);
  await query(
    ownerUrl,
    `GRANT CREATE ON DATABASE ${name} TO plain; CREATE SCHEMA deckhand_cluster; CREATE TABLE deckhand_cluster.replica (id text)`,
  );
  const use = { url, directUrl: url, engine: "dbos" } as const;
  const closed =
    /^DATABASE_URL: the schemas of DECKHAND_ENGINE=dbos \(deckhand_cluster\) are owned by postgres, and this user has no access/u;
  expect(await refusal(use)).toMatch(closed);
  const beside = await openClusterConnection(url);
  onTestFinished(() => beside.close());
  await expect(findMembers(beside)).rejects.toThrow(closed);
  await query(ownerUrl, "GRANT ALL ON SCHEMA deckhand_cluster TO plain");
  expect(await refusal(use)).toMatch(closed);
  await query(ownerUrl, "GRANT ALL ON ALL TABLES IN SCHEMA deckhand_cluster TO plain");
  expect(await requireServer(use)).toEqual([]);
});

test("a direct URL from which the tables cannot be found or read is detected", async () => {
  await query(ownerUrl, 'CREATE TABLE "Session" (id text)');
  const { pooledUrl } = await pooled();
  const asOwner = pooledUrl.replace("plain@", "postgres@");
  const elsewhere = /^DATABASE_DIRECT_URL: its user cannot find the tables of DATABASE_URL, or may not read them\./u;
  expect(await refusal({ url: asOwner, directUrl: url })).toMatch(elsewhere);
  expect(await refusal({ url: asOwner, directUrl: `${ownerUrl}?options=-c%20search_path%3Dx` })).toMatch(elsewhere);
  expect(await requireServer({ url: asOwner, directUrl: ownerUrl, engine: "embedded" })).toEqual([]);
});

const NOBODY = "postgresql://plain:hunter22@127.0.0.1:1/x";

test("the URL that does not answer is named", async () => {
  const away = /cannot connect to PostgreSQL \(ECONNREFUSED\)/u;
  const direct = await refusal({ url, directUrl: NOBODY });
  expect(direct).toMatch(/^DATABASE_DIRECT_URL: /u);
  expect(direct).toMatch(away);
  const main = await refusal({ url: NOBODY, directUrl: url });
  expect(main).toMatch(/^DATABASE_URL: /u);
  expect(main).toMatch(away);
});

test("the additional right for several processes is requested with its GRANT statement", async () => {
  expect(await requireServer({ url, directUrl: url, engine: "embedded" })).toEqual([]);
  expect(await refusal({ url, directUrl: url, engine: "dbos" })).toMatch(/GRANT CREATE ON DATABASE … TO …;/u);
  await query(ownerUrl, `GRANT CREATE ON DATABASE ${new URL(url).pathname.slice(1)} TO plain`);
  expect(await requireServer({ url, directUrl: url, engine: "dbos" })).toEqual([]);
});

test("possibly too few connections cause a warning, too few connections end the start", async () => {
  await occupy(MOST - 3 - 10);
  const [line, ...others] = await requireServer({ url, directUrl: url, engine: "embedded" });
  expect(others).toEqual([]);
  expect(line).toBe(
    "DATABASE_URL: too few connections: PostgreSQL has 10 left for this user, and a process opens up to 11. Raise max_connections (10 are in use, 20 are available to this user), or lower connection_limit in DATABASE_URL.",
  );
  const fewer = `${url}?connection_limit=9`;
  expect(await requireServer({ url: fewer, directUrl: fewer, engine: "embedded" })).toEqual([]);
  await occupy(8);
  expect(await refusal({ url, directUrl: url })).toMatch(/too few connections: PostgreSQL has 2 left/u);
});

test("behind a pooler only direct connections count", async () => {
  const { pooledUrl } = await pooled({ poolSize: 1 });
  await occupy(MOST - 3 - 2);
  expect(await requireServer({ url: pooledUrl, directUrl: url, engine: "embedded" })).toEqual([]);
  expect(await refusal({ url: pooledUrl, directUrl: ownerUrl, engine: "dbos" })).toMatch(
    /^DATABASE_DIRECT_URL: too few connections: .* up to 6\. Raise max_connections \(\d+ are in use, \d+ are available to this user\)\.$/u,
  );
});

test("the lack of any free connection is reported", async () => {
  await occupy(MOST - 3);
  expect(await refusal({ url, directUrl: url })).toMatch(
    /^DATABASE_URL: too few connections: PostgreSQL has none left for this user\./u,
  );
});

const limits = [
  {
    of: "the user",
    set: "ALTER USER plain CONNECTION LIMIT 4",
    unset: "ALTER USER plain CONNECTION LIMIT -1",
    mend: "ALTER ROLE plain CONNECTION LIMIT (4)",
  },
  {
    of: "the database",
    set: "ALTER DATABASE current CONNECTION LIMIT 4",
    unset: "SELECT 1",
    mend: "ALTER DATABASE current CONNECTION LIMIT (4)",
  },
];

test.each(limits)("a connection limit of $of is reported", async ({ set, unset, mend }) => {
  const named = (text: string) => text.replace("current", new URL(url).pathname.slice(1));
  await query(ownerUrl, named(set));
  onTestFinished(() => query(ownerUrl, unset));
  const [line] = await requireServer({ url, directUrl: url, engine: "embedded" });
  expect(line).toContain(`has 4 left for this user, and a process opens up to 11. Raise ${named(mend)}`);
});
