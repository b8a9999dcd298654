import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ConfigError } from "../../../../../src/core/protocol/errors.ts";
import { probeDatabase } from "../../../../../src/core/store/probe.ts";
import { openStore } from "../../../../../src/core/store/store.ts";
import { systemRuntime } from "../../../../../src/runtime.ts";
import { type Postgres, query, startOwnPostgres } from "../../../../support/database/postgres.ts";

let postgres: Postgres;
/** URL of the database for the superuser. */
let ownerUrl: string;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  await query(postgres.url, 'CREATE USER "deck-hand"');
});
afterAll(() => postgres.stop());
beforeEach(async () => {
  ownerUrl = await postgres.createDatabase();
});

/** URL of the same database for a user who owns nothing in it. */
function guestUrl(): string {
  const url = new URL(ownerUrl);
  url.username = "deck-hand";
  return url.href;
}

const start = async (url: string) => (await openStore(url, systemRuntime())).close();

/** The message of both a start and doctor. */
async function problemOf(url: string): Promise<string> {
  const started = await start(url).catch((error: unknown) => error);
  const probed = await probeDatabase(url).catch((error: unknown) => error);
  if (!(started instanceof ConfigError) || !(probed instanceof ConfigError)) throw started;
  expect(probed.problems).toEqual(started.problems);
  expect(started.problems).toHaveLength(1);
  return started.message;
}

/** The SQL statement at the end of a problem's message. */
const statementIn = (problem: string) => /: ((?:CREATE|GRANT) [^:]*;)$/u.exec(problem)?.[1] ?? "";

const lacking: readonly { name: string; owner?: () => Promise<void>; before: string; says: RegExp }[] = [
  {
    name: "CREATE on its schema",
    before: "SELECT 1",
    says: /^DATABASE_URL: the user "deck-hand" may not create tables in schema public\. .* GRANT CREATE ON SCHEMA public TO "deck-hand";$/u,
  },
  {
    name: "any schema",
    before: "REVOKE ALL ON SCHEMA public FROM PUBLIC",
    says: /^DATABASE_URL: the user "deck-hand" has no schema to use \(search_path: "\$user", public\)\./u,
  },
  {
    name: "a schema of its search path",
    before: `ALTER USER "deck-hand" IN DATABASE current SET search_path TO chat`,
    says: /has no schema to use \(search_path: chat\)\. .*CREATE SCHEMA IF NOT EXISTS chat; GRANT USAGE, CREATE ON SCHEMA chat TO "deck-hand";$/u,
  },
];

test.each(lacking)("a user without $name gets the GRANT statement, which works", async (given) => {
  await query(ownerUrl, given.before.replace("current", new URL(ownerUrl).pathname.slice(1)));
  const problem = await problemOf(guestUrl());
  expect(problem).toMatch(given.says);
  await query(ownerUrl, statementIn(problem));
  await start(guestUrl());
  await probeDatabase(guestUrl());
});

test("a user without rights on another user's tables gets the GRANT statement, and needs no CREATE right", async () => {
  await start(ownerUrl);
  const problem = await problemOf(guestUrl());
  expect(problem).toContain(`the user "deck-hand" may not use Deckhand's tables in schema public`);
  await query(ownerUrl, statementIn(problem));
  await start(guestUrl());
  await probeDatabase(guestUrl());
});

test("a migration of another user's tables is refused with an explanation, and works once permitted", async () => {
  await start(ownerUrl);
  await query(
    ownerUrl,
    `GRANT ALL ON SCHEMA public TO "deck-hand"; GRANT ALL ON ALL TABLES IN SCHEMA public TO "deck-hand"`,
  );
  await query(ownerUrl, `DELETE FROM "_prisma_migrations" WHERE "migration_name" NOT LIKE '%_init'`);
  const refused = await start(guestUrl()).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect(String(refused)).toMatch(
    /DATABASE_URL: PostgreSQL refuses the migration \S+ \(must be owner of \w+ .*\)\. .*ALTER TABLE … OWNER TO …/u,
  );
  expect(await start(guestUrl()).catch((error: unknown) => error)).toMatchObject({ code: "config" });
});

test("a user who may not connect is told so", async () => {
  await query(ownerUrl, `REVOKE CONNECT ON DATABASE ${new URL(ownerUrl).pathname.slice(1)} FROM PUBLIC`);
  await expect(probeDatabase(guestUrl())).rejects.toThrow("GRANT CONNECT ON DATABASE");
});
