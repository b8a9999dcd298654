import { plainLine } from "../../../text/plain-text.ts";

const USUAL = "Check that it is running, and that address, user, password and database are correct.";

const WANTS_TLS = "It requires TLS: append ?sslmode=require or &sslmode=require to the URL.";

/**
 * Remedies, matched against the error code followed by the message of the driver, server or pooler; one line each.
 * Source: Node.js docs, X509 certificate error codes; PostgreSQL docs, PostgreSQL Error Codes.
 */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [
    /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)/u,
    "Its certificate has expired or is not valid yet. Renew it, unless this machine's clock is wrong.",
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID/u,
    "Its certificate is not accepted: it is for another address. Use that address. sslmode=verify-ca, with sslrootcert=… set to the file of its certificate authority, accepts any address; sslmode=no-verify accepts any certificate.",
  ],
  [
    /^\S*(?:CERT|UNABLE_TO_|HOSTNAME_MISMATCH)/u,
    "Its certificate is not accepted. Set sslrootcert=… to the file of its certificate authority, and use an address that the certificate is for. sslmode=no-verify accepts any certificate.",
  ],
  [/does not support SSL/u, "It does not support TLS, but sslmode requires it. Turn TLS on there, or remove sslmode."],
  [/password must be a string/u, "It requires a password. Add one after the user: postgresql://user:password@…"],
  [
    /^28000.*(?:no encryption|SSL off)/u,
    `${WANTS_TLS} If the server is your own, its pg_hba.conf may lack a line for this user, database and address.`,
  ],
  [/SSL connection is required|connection is insecure|SSL\/TLS required|SSL required|requires TLS/u, WANTS_TLS],
  [
    /^28000.*(?:no pg_hba\.conf entry|pg_hba\.conf rejects)/u,
    "Its pg_hba.conf, or the hosting provider's list of addresses, does not allow this user, database and address. Add them there.",
  ],
  [
    /^28000 \w+: role "[^"]*" does not exist/u,
    "There is no user with that name. Run CREATE ROLE … LOGIN PASSWORD …, or use another user.",
  ],
  [
    /^28P01|password authentication failed/u,
    "Correct the user or password. Percent-encode special characters in the password: # as %23 and so on.",
  ],
  [
    /unsupported startup parameter/u,
    "It is a pooler that does not accept such settings. Remove options=… and limits like statement_timeout=… from the URL, or use the URL of the database itself.",
  ],
  [/^3D000/u, "There is no database with that name. Run CREATE DATABASE … OWNER …, or use another database."],
  [/^53100/u, "Its disk is full. Free up space there."],
  [/^57P03/u, "It is starting, recovering or shutting down. Start Deckhand again once it is up."],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL)/u,
    "This machine cannot reach that host. Check its name. A host that has only an IPv6 address, like Supabase's db.…, can be reached over IPv6 or through its session pooler.",
  ],
  [
    /timeout expired|^ETIMEDOUT/u,
    "It does not answer in time. Check that address, port and, behind a pooler, database are correct, and that no firewall blocks this machine.",
  ],
  [
    /terminated unexpectedly|establishing an SSL connection|^ECONNRESET|^EPIPE/u,
    "The connection is closed without an answer. Check that this is PostgreSQL's port, and that this machine may connect.",
  ],
  [/^ENOENT/u, "There is no such socket. Correct the directory in host=…, or start the server that creates it."],
];

/** What an operator can do about a server that refuses the connection, as sentences. Falls back to the server's own message. */
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
  return `It says: “${plainLine(reason, MAX_SAID)}”. Fix that, or use another server.`;
}
