import type { Client } from "pg";
import { z } from "zod";
import { ConfigError } from "../../../protocol/errors.ts";
import { plainLine } from "../../../text/plain-text.ts";

/** Settings that transactions, times and texts rely on, and the remedy if a server, database or user differs. */
const NEEDED = [
  {
    name: "server_version",
    fits: /^(?:1[4-9]|[2-9]\d)\D/u,
    remedy: "It must be 14 or newer. Upgrade the server, or use another one.",
  },
  {
    name: "default_transaction_isolation",
    fits: /^read committed$/u,
    remedy: "Run ALTER ROLE … SET default_transaction_isolation = 'read committed'; for the user in DATABASE_URL.",
  },
  { name: "DateStyle", fits: /^ISO/u, remedy: "Run ALTER ROLE … SET DateStyle = 'ISO'; for the user in DATABASE_URL." },
  {
    name: "server_encoding",
    fits: /^(?:UTF8|SQL_ASCII)$/u,
    remedy:
      "It cannot store everything that people write. Run CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' and use that database.",
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
  return `DATABASE_URL: points to another product (${plainLine(version, MAX_SHOWN)}) that speaks PostgreSQL's protocol but lacks its locks or notifications. Use a PostgreSQL server.`;
}

/** Maximum length of the shown version, in characters. */
const MAX_SHOWN = 80;
