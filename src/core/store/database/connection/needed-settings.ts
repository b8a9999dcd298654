import type { Client } from "pg";
import { z } from "zod";
import { ConfigError } from "../../../protocol/errors.ts";
import { plainLine } from "../../../text/plain-text.ts";

/** Settings that transactions, times and texts rely on, and the remedy if a server, database or user differs. */
const NEEDED = [
  {
    name: "server_version",
    fits: /^(?:1[4-9]|[2-9]\d)\D/u,
    remedy: "It must be 14 or newer: upgrade the server, or name another one.",
  },
  {
    name: "default_transaction_isolation",
    fits: /^read committed$/u,
    remedy: "ALTER ROLE … SET default_transaction_isolation = 'read committed'; with the user in DATABASE_URL.",
  },
  { name: "DateStyle", fits: /^ISO/u, remedy: "ALTER ROLE … SET DateStyle = 'ISO'; with the user in DATABASE_URL." },
  {
    name: "server_encoding",
    fits: /^(?:UTF8|SQL_ASCII)$/u,
    remedy:
      "It cannot hold all that people write: CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' and name that one.",
  },
] as const;

const VALUES =
  "SELECT array_agg(current_setting(name) ORDER BY place) AS values FROM unnest($1::text[]) WITH ORDINALITY AS given (name, place)";

const valuesSchema = z.object({ values: z.array(z.string()) });

/** Throws ConfigError if the program cannot work with the connection's settings, or with the product that answers. */
export async function requireSettings(connection: Client): Promise<void> {
  const answer = await connection.query("SELECT version() AS version");
  const other = otherProduct(z.object({ version: z.string() }).safeParse(answer.rows[0]).data?.version ?? "");
  if (other !== null) throw new ConfigError([other]);
  const { rows } = await connection.query(VALUES, [NEEDED.map(({ name }) => name)]);
  const problems = settingProblems(valuesSchema.parse(rows[0]).values);
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Messages to the operator about unsuitable settings. `values` are in the order of `NEEDED`. */
export function settingProblems(values: readonly string[]): readonly string[] {
  return NEEDED.flatMap(({ name, fits, remedy }, index) => {
    const value = values[index] ?? "";
    return fits.test(value) ? [] : [`DATABASE_URL: the database's ${name} is ${value}. ${remedy}`];
  });
}

/** Products that speak PostgreSQL's protocol, by the names in their version. Source: their docs, version(). */
const OTHERS = /CockroachDB|-YB-|Redshift|Greenplum|Materialize|QuestDB|CrateDB/u;

/** Message to the operator if a version is that of another product; null otherwise. */
export function otherProduct(version: string): string | null {
  if (!OTHERS.test(version)) return null;
  return `DATABASE_URL: leads to another database (${plainLine(version, MAX_SHOWN)}) that speaks as PostgreSQL does, and lacks its locks or notifications. Name a PostgreSQL.`;
}

/** Maximum length of the shown version, in characters. */
const MAX_SHOWN = 80;
