import { plainLine } from "../../../text/plain-text.ts";

const USUAL = "Is it up, and are address, user, password and database right?";

const WANTS_TLS =
  "It lets nobody in without TLS: put sslmode=require behind the URL, as ?sslmode=require or &sslmode=require.";

/**
 * Remedies, matched against the error code followed by the message of the driver, server or pooler; one line each.
 * Source: Node.js docs, X509 certificate error codes; PostgreSQL docs, PostgreSQL Error Codes.
 */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/u,
    "Its certificate has expired or is not valid yet: have it renewed, unless this machine's clock is wrong.",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/u,
    "Its certificate is not accepted: it is for another address. Name that one; sslmode=verify-ca, with sslrootcert=… for the file of its authority, takes any address, and sslmode=no-verify any certificate.",
  ],
  [
    /^\S*(?:CERT|UNABLE_TO_|HOSTNAME_MISMATCH)/u,
    "Its certificate is not accepted: have sslrootcert=… name the file of its authority, and the address be one that it is for; sslmode=no-verify takes any.",
  ],
  [/does not support SSL/u, "It has no TLS, which sslmode asks for. Turn that on there, or take sslmode out."],
  [/password must be a string/u, "It wants a password. Name one behind the user: postgresql://user:password@…"],
  [
    /^28000.*(?:no encryption|SSL off)/u,
    `${WANTS_TLS} Where the server is your own, its pg_hba.conf may lack a line for this user, database and address.`,
  ],
  [/SSL connection is required|connection is insecure|SSL\/TLS required|SSL required|requires TLS/u, WANTS_TLS],
  [
    /^28000.*(?:no pg_hba\.conf entry|pg_hba\.conf rejects)/u,
    "Its pg_hba.conf, or the hoster's list of addresses, does not let this user, database and address in. Add them there.",
  ],
  [
    /^28000 \w+: role "[^"]*" does not exist/u,
    "There is no user of that name: CREATE ROLE … LOGIN PASSWORD …, or name another one.",
  ],
  [
    /^28P01|password authentication failed/u,
    "Mend user or password; special characters of a password are written as %23 (for #) and the like.",
  ],
  [
    /unsupported startup parameter/u,
    "It is a pooler that takes no such settings: take options=… out of the URL, and limits such as statement_timeout=…; or name the database itself.",
  ],
  [/^3D000/u, "There is no database of that name: CREATE DATABASE … OWNER …, or name another one."],
  [/^53100/u, "Its disk is full: make room there."],
  [/^57P03/u, "It starts, recovers or ends just now: start again once it is up."],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL)/u,
    "Nothing leads from this machine to that host: mend its name. One that has an address of IPv6 alone, as Supabase's db.… has, is reached by IPv6 or by its session pooler.",
  ],
  [
    /timeout expired|^ETIMEDOUT/u,
    "It does not answer in time: are address, port and, behind a pooler, database right, and does a firewall let this machine through?",
  ],
  [
    /terminated unexpectedly|establishing an SSL connection|^ECONNRESET|^EPIPE/u,
    "What answers there breaks off: is it the port of PostgreSQL, and does it let this machine in?",
  ],
  [/^ENOENT/u, "There is no such socket: mend the directory in host=…, or start what makes it."],
];

/** What an operator can do about a server that lets nobody in, as sentences. Falls back to the server's own message. */
export function serverAdvice(url: string, code: string, error: unknown): string {
  return REMEDIES.find(([sign]) => sign.test(`${code} ${String(error)}`))?.[1] ?? saidBy(url, error) ?? USUAL;
}

/** Maximum length of a server's message that is shown, in characters. */
const MAX_SAID = 200;

/** The server's own message, without the password; null if the error is not the server's. */
function saidBy(url: string, error: unknown): string | null {
  if (!(error instanceof Error) || !("severity" in error)) return null;
  const { password } = new URL(url);
  const reason = [password, decodeURIComponent(password)]
    .filter((secret) => secret !== "")
    .reduce((text, secret) => text.replaceAll(secret, "…"), error.message);
  return `It says: “${plainLine(reason, MAX_SAID)}”. Mend that, or name another one.`;
}
