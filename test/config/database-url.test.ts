import { expect, test } from "vitest";
import type { Config } from "../../src/config.ts";
import { type Given, load } from "../support/program/config-sources.ts";

const cases: { name: string; given: Given; key: (config: Config) => unknown; value: unknown }[] = [
  {
    name: "PostgreSQL is accepted",
    given: { env: { DATABASE_URL: "postgresql://u:p@db:5432/x" } },
    key: (config) => config.database,
    value: { kind: "postgresql", url: "postgresql://u:p@db:5432/x", directUrl: "postgresql://u:p@db:5432/x" },
  },
  {
    name: "PostgreSQL behind a pooler has a second address",
    given: {
      env: { DATABASE_URL: "postgresql://u:p@pooler:6432/x", DATABASE_DIRECT_URL: "postgresql://u:q@db:5432/x" },
    },
    key: (config) => config.database,
    value: { kind: "postgresql", url: "postgresql://u:p@pooler:6432/x", directUrl: "postgresql://u:q@db:5432/x" },
  },
  ...[
    ["as Heroku gives it", "postgres://u:p@host:5432/db", "postgresql://u:p@host:5432/db"],
    [
      "a socket, as Cloud SQL has one",
      "postgresql://u:p@/db?host=/cloudsql/p:r:i",
      "postgresql://u:p@localhost/db?host=/cloudsql/p:r:i",
    ],
    [
      "as Neon gives it",
      "postgresql://u:p@ep-cool-pooler.eu.aws.neon.tech/db?sslmode=require&channel_binding=require",
      "postgresql://u:p@ep-cool-pooler.eu.aws.neon.tech/db?sslmode=verify-full&channel_binding=require",
    ],
    [
      "as PlanetScale gives it",
      "postgresql://u:p@h:5432/db?sslmode=verify-full&sslrootcert=system&sslnegotiation=direct",
      "postgresql://u:p@h:5432/db?sslmode=verify-full&sslmode=verify-full&sslnegotiation=direct",
    ],
    ["libpq's meaning", "postgresql://h/db?uselibpqcompat=true&sslmode=require"],
    [
      "an authority whose certificates are for no address, as Cloud SQL's",
      "postgresql://u:p@34.1.2.3/db?sslmode=verify-ca&sslrootcert=/ca.pem",
      "postgresql://u:p@34.1.2.3/db?sslmode=verify-ca&sslrootcert=/ca.pem&uselibpqcompat=true",
    ],
    [
      "an authority that is to be looked at",
      "postgresql://h/db?sslrootcert=/ca.pem&sslmode=prefer",
      "postgresql://h/db?sslrootcert=/ca.pem&sslmode=verify-full",
    ],
    ["no authority", "postgresql://h/db?sslmode=verify-ca", "postgresql://h/db?sslmode=verify-full"],
    ["TLS where there is some", "postgresql://h/db?sslmode=prefer", "postgresql://h/db?sslmode=prefer"],
    ["other drivers' word", "postgresql://h/db?ssl=require", "postgresql://h/db?sslmode=verify-full"],
    ["other drivers' yes", "postgresql://h/db?ssl=true", "postgresql://h/db?sslmode=verify-full"],
    ["other drivers' no", "postgresql://h/db?ssl=false", "postgresql://h/db?sslmode=disable"],
    ["both words", "postgresql://h/db?sslmode=no-verify&ssl=true", "postgresql://h/db?sslmode=no-verify&"],
    ["a comma in the password", "postgresql://u:p,q@h/db", "postgresql://u:p,q@h/db"],
    ["blanks at its ends", "  postgresql://u:p@h/db \r\n", "postgresql://u:p@h/db"],
    ["quotes that Docker hands on", `"postgres://u:p@h/db"`, "postgresql://u:p@h/db"],
    [
      "a % that is one",
      "postgresql://u:10%%23@h/db?options=-c work_mem%3D9",
      "postgresql://u:10%25%23@h/db?options=-c%20work_mem%3D9",
    ],
  ].map(([name, given = "", url = given]) => ({
    name: `PostgreSQL's URL is read as its driver reads it: ${name}`,
    given: { env: { DATABASE_URL: given } },
    key: (config: Config) => config.database,
    value: { kind: "postgresql", url, directUrl: url },
  })),
  {
    name: "Prisma's schema in a URL is said to be left out",
    given: { env: { DATABASE_URL: "postgresql://u:p@h/db?schema=chat" } },
    key: (config) => config.warnings,
    value: [
      expect.stringMatching(
        /^DATABASE_URL: schema=chat is ignored\. To put the tables into that schema, replace it with options=-c%20search_path%3Dchat;/u,
      ),
    ],
  },
  ...[
    [
      "search_path=chat",
      "search_path=chat is ignored. To put the tables into that schema, replace it with options=-c%20search_path%3Dchat;",
    ],
    ["ssl_mode=require", 'the parameter ssl_mode is ignored. Did you mean "sslmode"?'],
    ["sslaccept=strict", "the parameter sslaccept is ignored. TLS is configured with sslmode,"],
    ["geheim@h/db", "the part after the ? is ignored. Write a ? in the password as %3F."],
    ["TimeZone=UTC", "the parameter TimeZone is ignored. Remove it. PostgreSQL settings go into options="],
  ].map(([parameter, said]) => ({
    name: `a parameter of a URL that nothing reads is said: ${parameter}`,
    given: { env: { DATABASE_URL: "postgresql://h/db", DATABASE_DIRECT_URL: `postgresql://u:p@h/db?${parameter}` } },
    key: (config: Config) => config.warnings,
    value: [expect.stringContaining(`DATABASE_DIRECT_URL: ${said}`)],
  })),
  {
    name: "what hosters put behind a URL is nothing to speak of",
    given: {
      env: {
        DATABASE_URL: "postgres://u:p@h:6543/db?pgbouncer=true&connect_timeout=15&pool_timeout=9&schema=public",
        DATABASE_DIRECT_URL: "postgres://u:p@h/db?sslmode=require&channel_binding=require&target_session_attrs=primary",
      },
    },
    key: (config) => config.warnings,
    value: [],
  },
];

test.each(cases)("$name", ({ given, key, value }) => {
  expect(key(load(given))).toEqual(value);
});
