import { ConfigError } from "../../protocol/errors.ts";
import { systemCode } from "../../protocol/system-code.ts";
import { sqlitePath } from "./database-url.ts";
import { isRefusal } from "./postgresql-rights.ts";

/**
 * There is no database to be had at DATABASE_URL. The driver's message is left out: it may quote a password.
 * What is a ConfigError already says more.
 */
export function unavailable(url: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const reason = systemCode(error) ?? "unknown error";
  if (!url.startsWith("file:")) {
    if (isRefusal(error)) return new ConfigError([NO_CONNECT]);
    if (reason === TOO_MANY_CONNECTIONS) return new ConfigError([NONE_LEFT]);
    if (isOpening(error)) return new ConfigError([`${UNREADABLE} (${reason}). Mend its path.`]);
    const mend = SERVER_MENDS.find(([sign]) => sign.test(`${reason} ${String(error)}`))?.[1] ?? USUAL;
    return new ConfigError([`DATABASE_URL: PostgreSQL does not let me in (${reason}). ${mend}`]);
  }
  const mend =
    MENDS[reason] ?? "Make it, its directory and what lies beside it writable for this user, or name another file.";
  return new ConfigError([`DATABASE_URL: ${sqlitePath(url)} cannot be opened (${reason}). ${mend}`]);
}

/** A file could not be opened: no socket's path, but one that the URL names. */
function isOpening(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "open";
}

const UNREADABLE = "DATABASE_URL: the file of sslrootcert, sslcert or sslkey in it cannot be read";
const USUAL = "Is it up, and are address, user, password and database right?";
/** By the code of an error, or by what the driver says without one. Source: Node.js docs, X509 certificate error codes. */
const SERVER_MENDS: readonly (readonly [RegExp, string])[] = [
  [
    /^\S*(?:CERT|UNABLE_TO_|HOSTNAME_MISMATCH)/u,
    "Its certificate is not accepted: have sslrootcert=… name the file of its authority, and the address be one that it is for; sslmode=no-verify takes any.",
  ],
  [/does not support SSL/u, "It has no TLS, which sslmode asks for. Turn that on there, or take sslmode out."],
  [/password must be a string/u, "It wants a password. Name one behind the user: postgresql://user:password@…"],
  [
    /^28000.*(?:no encryption|SSL off)|SSL connection is required|connection is insecure/u,
    "It lets nobody in without TLS: put sslmode=require behind the URL, as ?sslmode=require or &sslmode=require.",
  ],
  [
    /^28000 \w+: role "[^"]*" does not exist/u,
    "There is no user of that name: CREATE ROLE … LOGIN PASSWORD …, or name another one.",
  ],
  [/^28P01/u, "Mend user or password; special characters of a password are written as %23 (for #) and the like."],
  [
    /unsupported startup parameter/u,
    "It is a pooler that takes no such settings: take options=… out of the URL, or name the database itself.",
  ],
  [/^3D000/u, "There is no database of that name: CREATE DATABASE … OWNER …, or name another one."],
];

/** Source: PostgreSQL docs, PostgreSQL Error Codes. */
const TOO_MANY_CONNECTIONS = "53300";

const NONE_LEFT =
  "DATABASE_URL: too few connections: PostgreSQL has none left for this user. Raise max_connections or the CONNECTION LIMIT of the user or database, or end what holds them.";

const NO_CONNECT =
  "DATABASE_URL: PostgreSQL does not let this user into this database. As its owner or a superuser: GRANT CONNECT ON DATABASE … TO …; with the names in DATABASE_URL.";

const MENDS: Readonly<Record<string, string>> = {
  SQLITE_NOTADB: "It is no SQLite database. Name one, or a file that does not exist yet.",
  SQLITE_CORRUPT:
    "It is damaged. Restore it from a backup, in its place, and delete its -wal and -shm: docs/operating.md, “Backing up”.",
  SQLITE_FULL: "Its disk is full, and it is as it was. Make room, then start again.",
  SQLITE_BUSY: "Another process is writing to it. End that, or wait for it, then start again.",
  EISDIR: "It is a directory. Name a file in it, such as deckhand.db.",
};
