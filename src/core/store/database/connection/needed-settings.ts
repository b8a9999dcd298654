import type { Client } from "pg";
import { z } from "zod";
import { ConfigError } from "../../../protocol/errors.ts";
import { plainLine } from "../../../text/plain-text.ts";

/** What transactions, times and texts rely on, and what an operator does where a server, database or user has it otherwise. */
const NEEDED = [
  {
    name: "server_version",
    fits: /^(?:1[4-9]|[2-9]\d)\D/u,
    mend: "It must be 14 or newer: upgrade the server, or name another one.",
  },
  {
    name: "default_transaction_isolation",
    fits: /^read committed$/u,
    mend: "ALTER ROLE … SET default_transaction_isolation = 'read committed'; with the user in DATABASE_URL.",
  },
  { name: "DateStyle", fits: /^ISO/u, mend: "ALTER ROLE … SET DateStyle = 'ISO'; with the user in DATABASE_URL." },
  {
    name: "server_encoding",
    fits: /^(?:UTF8|SQL_ASCII)$/u,
    mend: "It cannot hold all that people write: CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' and name that one.",
  },
] as const;

const VALUES =
  "SELECT array_agg(current_setting(name) ORDER BY place) AS values FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place)";

const valuesSchema = z.object({ values: z.array(z.string()) });

/** Throws ConfigError where the program cannot work with a setting of the connection's, or with what answers there. */
export async function requireSettings(connection: Client): Promise<void> {
  const said = await connection.query("SELECT version() AS version");
  const other = otherProduct(z.object({ version: z.string() }).safeParse(said.rows[0]).data?.version ?? "");
  if (other !== null) throw new ConfigError([other]);
  const { rows } = await connection.query(VALUES, [NEEDED.map(({ name }) => name)]);
  const problems = settingProblems(valuesSchema.parse(rows[0]).values);
  if (problems.length > 0) throw new ConfigError(problems);
}

/** What an operator reads of settings that do not do; in the order of those that are asked for. */
export function settingProblems(values: readonly string[]): readonly string[] {
  return NEEDED.flatMap(({ name, fits, mend }, index) => {
    const value = values[index] ?? "";
    return fits.test(value) ? [] : [`DATABASE_URL: the database's ${name} is ${value}. ${mend}`];
  });
}

/** What speaks as PostgreSQL does, by what it calls itself. Source: their docs, version(). */
const OTHERS = /CockroachDB|-YB-|Redshift|Greenplum|Materialize|QuestDB|CrateDB/u;

/** What an operator reads of a version that is another database's; null where it is none of those. */
export function otherProduct(version: string): string | null {
  if (!OTHERS.test(version)) return null;
  return `DATABASE_URL: leads to another database (${plainLine(version, MOST_SHOWN)}) that speaks as PostgreSQL does, and lacks its locks or notifications. Name a PostgreSQL.`;
}

/** What is shown of the name that a server gives itself. Characters. */
const MOST_SHOWN = 80;
