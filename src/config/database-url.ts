import { z } from "zod";

/** PostgreSQL's own tools take either, and hosters give either. */
const POSTGRESQL = /^postgres(?:ql)?:\/\//u;

export function isPostgresUrl(url: string | undefined): boolean {
  return url !== undefined && POSTGRESQL.test(url);
}

/** What libpq takes and the driver does not, in the driver's words. */
const REWORDED: readonly (readonly [RegExp, string])[] = [
  [POSTGRESQL, "postgresql://"],
  // Whoever has `host=…`, a socket's directory for one, behind the question mark names no server before it.
  [/^(?<user>[^/]+\/\/[^/?#]*@)(?=[/:?]|$)/u, "$<user>localhost"],
  [/%(?![\da-f]{2})/giu, "%25"],
  [/ /gu, "%20"],
  // What Node trusts is what the driver takes.
  [/(?<=[?&])sslrootcert=system(?=&|$)/u, "sslmode=verify-full"],
];

/** The driver checks certificates in these modes too, and says at each start that it will not for ever. */
const CHECKED = /(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/u;

/** A URL of PostgreSQL as the program and its driver read it: hosters write for libpq. */
export function driverUrl(given: string): string {
  const url = REWORDED.reduce((text, [sign, word]) => text.replace(sign, word), given);
  return url.includes("uselibpqcompat=true") ? url : url.replace(CHECKED, "verify-full");
}

const WHOLE_URL =
  "must be a whole postgresql:// URL, with special characters of the password as %23 (for #), %2F (/) and the like";

function isWhole(url: string): boolean {
  try {
    const { username, password } = new URL(driverUrl(url));
    return [username, password].every((part) => decodeURIComponent(part) !== null);
  } catch {
    return false;
  }
}

const SEVERAL = /^[^/]+\/\/(?:[^/?#]*@)?[^/?#@]*,/u;

/** Adds to what a variable must be what a URL of PostgreSQL in it must be. */
export function postgresUrl<S extends z.ZodType<string>>(schema: S) {
  return schema
    .refine(
      (url) => !isPostgresUrl(url) || !SEVERAL.test(url),
      "must name one server, or the address that leads to whichever is the primary",
    )
    .refine((url) => !isPostgresUrl(url) || SEVERAL.test(url) || isWhole(url), WHOLE_URL);
}

/** Prisma's own parameter, which its examples have and no driver reads. */
const SCHEMA = /[?&]schema=(?<schema>[^&]+)/u;

/** Where a URL asks for what is not done. */
export function urlWarnings(name: string, url: string | undefined): string[] {
  const schema = SCHEMA.exec(url ?? "")?.groups?.["schema"] ?? "public";
  if (!isPostgresUrl(url) || schema === "public") return [];
  return [
    `${name}: schema=${schema} in it is not read. Put options=-c%20search_path%3D${schema} in its place to have tables there, or take it out.`,
  ];
}
