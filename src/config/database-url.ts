import { z } from "zod";

/** PostgreSQL's tools accept both schemes, and hosting providers use both. */
const POSTGRESQL = /^postgres(?:ql)?:\/\//u;

/** Removes blanks around it, which copying adds, and quotes, which Docker keeps from its --env-file. */
export function bareUrl(given: string): string {
  const text = given.trim();
  const isQuoted = /^["']/u.test(text) && text.endsWith(text.charAt(0));
  return isQuoted ? text.slice(1, -1).trim() : text;
}

export function isPostgresUrl(url: string | undefined): boolean {
  return url !== undefined && POSTGRESQL.test(bareUrl(url));
}

/** Rewrites what libpq accepts, but the driver does not. */
const REWORDED: readonly (readonly [RegExp, string])[] = [
  [POSTGRESQL, "postgresql://"],
  // A URL with `host=…` in its query, for example a socket's directory, may have no server before it.
  [/^(?<user>[^/]+\/\/[^/?#]*@)(?=[/:?]|$)/u, "$<user>localhost"],
  [/%(?![\da-f]{2})/giu, "%25"],
  [/ /gu, "%20"],
  // The driver always trusts the same authorities as Node.
  [/(?<=[?&])sslrootcert=system(?=&|$)/u, "sslmode=verify-full"],
];

const SSL = /(?<=[?&])ssl=(?<word>[^&]*)/gu;
const SSL_WORDS: Readonly<Record<string, string>> = {
  true: "verify-full",
  1: "verify-full",
  false: "disable",
  0: "disable",
};

/** Converts other drivers' `ssl` to `sslmode`. If both are present, sslmode is the more specific one. */
function withMode(url: string): string {
  if (/[?&]sslmode=/u.test(url)) return url.replace(SSL, "");
  return url.replace(SSL, (_, word: string) => `sslmode=${SSL_WORDS[word] ?? word}`);
}

/** The driver checks certificates in these modes, too, but warns at each start that this will change. */
const CHECKED = /(?<=[?&]sslmode=)(?:require|verify-ca)(?=&|$)/u;

/** Modes in which the certificate is checked if an authority is named, although they may work without TLS. */
const CHECKED_BY_AUTHORITY = /(?<=[?&]sslmode=)(?:allow|prefer|require)(?=&|$)/u;

/**
 * Converts a PostgreSQL URL to what the program and its driver read, because hosting providers write URLs for libpq. In
 * the modes allow and prefer, the server is asked for TLS support before a connection is made.
 */
export function driverUrl(given: string): string {
  const url = withMode(REWORDED.reduce((text, [sign, word]) => text.replace(sign, word), bareUrl(given)));
  if (url.includes("uselibpqcompat=true")) return url;
  if (!/[?&]sslrootcert=/u.test(url)) return url.replace(CHECKED, "verify-full");
  // Certificates such as Cloud SQL's name no host. Only with this flag does the driver check just the authority.
  if (/[?&]sslmode=verify-ca(?:&|$)/u.test(url)) return `${url}&uselibpqcompat=true`;
  return url.replace(CHECKED_BY_AUTHORITY, "verify-full");
}

const WHOLE_URL =
  "must be a complete postgresql:// URL, with special characters in the password percent-encoded: # as %23, / as %2F and so on";

function isWhole(url: string): boolean {
  try {
    const { username, password } = new URL(driverUrl(url));
    return [username, password].every((part) => decodeURIComponent(part) !== null);
  } catch {
    return false;
  }
}

/** A comma before the last @ belongs to the password. */
const SEVERAL = /^[^/]+\/\/(?:[^/?#]*@)?[^/?#@,]*,[^/?#@]*(?:[/?#]|$)|[?&]host=[^&]*,/u;

const OTHER_MODE =
  /[?&]ssl(?:mode=|=(?!(?:true|false|[01])(?:&|$)))(?!(?:disable|allow|prefer|require|verify-ca|verify-full|no-verify)(?:&|$))/u;

/** Adds the requirements of a PostgreSQL URL to a variable's schema. */
export function postgresUrl<S extends z.ZodType<string>>(schema: S) {
  return schema
    .refine(
      (url) => !isPostgresUrl(url) || !SEVERAL.test(url),
      "must name a single server, or an address that always points to the primary",
    )
    .refine(
      (url) => !isPostgresUrl(url) || !/\$\{\w+\}/u.test(url),
      "must be written out in full: ${…} in it is not expanded",
    )
    .refine(
      (url) => !isPostgresUrl(url) || !OTHER_MODE.test(url),
      "sslmode must be disable, prefer, require, verify-ca, verify-full or no-verify (docs/operating.md)",
    )
    .refine((url) => !isPostgresUrl(url) || SEVERAL.test(url) || isWhole(url), WHOLE_URL);
}

/** Parameters that this program or the driver reads. */
const READ = `
  user password host port options application_name fallback_application_name sslmode sslrootcert sslcert
  sslkey sslnegotiation uselibpqcompat connection_limit statement_timeout lock_timeout
  idle_in_transaction_session_timeout query_timeout
`
  .trim()
  .split(/\s+/u);

/**
 * Parameters from hosting providers and other drivers that have no meaning here, about waiting, keeping alive, pooling
 * and making connections. They are ignored silently.
 */
const WITHOUT_MEANING = `
  connect_timeout pool_timeout socket_timeout max_idle_connection_lifetime single_use_connections
  keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout pool pgbouncer supa
  workaround statement_cache_size encoding client_encoding channel_binding gssencmode sslcompression sslsni
  target_session_attrs load_balance_hosts
`
  .trim()
  .split(/\s+/u);

/** Names for the schema of the tables. `schema` is Prisma's, with the value public in its examples. */
const SCHEMAS = ["schema", "search_path", "currentSchema"];

/** Anything that is not a parameter's name may be the rest of a password, and is not repeated. */
const PARAMETER = /^[\w.-]{1,40}$/u;

/** Warnings about parameters without effect. */
export function urlWarnings(name: string, given: string | undefined): string[] {
  if (given === undefined || !isPostgresUrl(given) || !URL.canParse(driverUrl(given))) return [];
  return [...new URL(driverUrl(given)).searchParams].flatMap(([key, value]) => {
    if (READ.includes(key) || WITHOUT_MEANING.includes(key) || (key === "schema" && value === "public")) return [];
    if (!PARAMETER.test(key)) return [`${name}: the part after the ? is ignored. Write a ? in the password as %3F.`];
    if (SCHEMAS.includes(key)) {
      const options = `options=-c%20search_path%3D${encodeURIComponent(value)}`;
      return [
        `${name}: ${key}=${value} is ignored. To put the tables into that schema, replace it with ${options}; otherwise, remove it.`,
      ];
    }
    return [`${name}: the parameter ${key} is ignored. ${ignoredRemedy(key)}`];
  });
}

function ignoredRemedy(key: string): string {
  const near = READ.find((one) => plainKey(one) === plainKey(key));
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (/^(?:ssl|tls)/iu.test(key)) return "TLS is configured with sslmode, sslrootcert, sslcert and sslkey.";
  return "Remove it. PostgreSQL settings go into options=-c%20….";
}

function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/gu, "");
}
