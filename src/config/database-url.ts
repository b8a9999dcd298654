import { z } from "zod";

/** PostgreSQL's own tools take either, and hosters give either. */
const POSTGRESQL = /^postgres(?:ql)?:\/\//u;

/** Without blanks at its ends, which a copy or a mounted file brings, and the quotes that Docker hands on from its --env-file. */
export function bareUrl(given: string): string {
  const text = given.trim();
  const isQuoted = /^["']/u.test(text) && text.endsWith(text.charAt(0));
  return isQuoted ? text.slice(1, -1).trim() : text;
}

export function isPostgresUrl(url: string | undefined): boolean {
  return url !== undefined && POSTGRESQL.test(bareUrl(url));
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

const SSL = /(?<=[?&])ssl=(?<word>[^&]*)/gu;
const SSL_WORDS: Readonly<Record<string, string>> = {
  true: "verify-full",
  1: "verify-full",
  false: "disable",
  0: "disable",
};

/** Other drivers' word for the mode. Where both stand, sslmode says more. */
function withMode(url: string): string {
  if (/[?&]sslmode=/u.test(url)) return url.replace(SSL, "");
  return url.replace(SSL, (_, word: string) => `sslmode=${SSL_WORDS[word] ?? word}`);
}

/** The driver checks certificates in these modes too, and says at each start that it will not for ever. */
const CHECKED = /(?<=[?&]sslmode=)(?:require|verify-ca)(?=&|$)/u;

/** Whoever names an authority wants it to be looked at, in the modes that may go without, too. */
const CHECKED_BY_AUTHORITY = /(?<=[?&]sslmode=)(?:allow|prefer|require)(?=&|$)/u;

/**
 * A URL of PostgreSQL as the program and its driver read it: hosters write for libpq. In the modes allow and prefer it is
 * asked before a connection whether the server has TLS.
 */
export function driverUrl(given: string): string {
  const url = withMode(REWORDED.reduce((text, [sign, word]) => text.replace(sign, word), bareUrl(given)));
  if (url.includes("uselibpqcompat=true")) return url;
  if (!/[?&]sslrootcert=/u.test(url)) return url.replace(CHECKED, "verify-full");
  // Certificates such as Cloud SQL's are for no address. The driver then looks at the authority alone only when told so.
  if (/[?&]sslmode=verify-ca(?:&|$)/u.test(url)) return `${url}&uselibpqcompat=true`;
  return url.replace(CHECKED_BY_AUTHORITY, "verify-full");
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

/** A comma before the last @ is the password's. */
const SEVERAL = /^[^/]+\/\/(?:[^/?#]*@)?[^/?#@,]*,[^/?#@]*(?:[/?#]|$)|[?&]host=[^&]*,/u;

const OTHER_MODE =
  /[?&]ssl(?:mode=|=(?!(?:true|false|[01])(?:&|$)))(?!(?:disable|allow|prefer|require|verify-ca|verify-full|no-verify)(?:&|$))/u;

/** Adds to what a variable must be what a URL of PostgreSQL in it must be. */
export function postgresUrl<S extends z.ZodType<string>>(schema: S) {
  return schema
    .refine(
      (url) => !isPostgresUrl(url) || !SEVERAL.test(url),
      "must name one server, or the address that leads to whichever is the primary",
    )
    .refine(
      (url) => !isPostgresUrl(url) || !/\$\{\w+\}/u.test(url),
      "must be written out: nothing fills in what stands as ${…} in it",
    )
    .refine(
      (url) => !isPostgresUrl(url) || !OTHER_MODE.test(url),
      "sslmode in it must be disable, prefer, require, verify-ca, verify-full or no-verify (docs/operating.md)",
    )
    .refine((url) => !isPostgresUrl(url) || SEVERAL.test(url) || isWhole(url), WHOLE_URL);
}

/** What is read of a URL, here or by the driver. */
const READ = `
  user password host port options application_name fallback_application_name sslmode sslrootcert sslcert
  sslkey sslnegotiation uselibpqcompat connection_limit statement_timeout lock_timeout
  idle_in_transaction_session_timeout query_timeout
`
  .trim()
  .split(/\s+/u);

/**
 * What hosters and other drivers' users write that means nothing here: how long it is waited, how a connection is watched,
 * pooled and made. That may be left out without a word.
 */
const WITHOUT_MEANING = `
  connect_timeout pool_timeout socket_timeout max_idle_connection_lifetime single_use_connections
  keepalives keepalives_idle keepalives_interval keepalives_count tcp_user_timeout pool pgbouncer supa
  workaround statement_cache_size encoding client_encoding channel_binding gssencmode sslcompression sslsni
  target_session_attrs load_balance_hosts
`
  .trim()
  .split(/\s+/u);

/** The same under several names: the schema of the tables. `schema` is Prisma's, and public in its examples. */
const SCHEMAS = ["schema", "search_path", "currentSchema"];

/** What is no name of a parameter may be the rest of a password, and is not repeated. */
const PARAMETER = /^[\w.-]{1,40}$/u;

/** Where a URL asks for what is not done. */
export function urlWarnings(name: string, given: string | undefined): string[] {
  if (given === undefined || !isPostgresUrl(given) || !URL.canParse(driverUrl(given))) return [];
  return [...new URL(driverUrl(given)).searchParams].flatMap(([key, value]) => {
    if (READ.includes(key) || WITHOUT_MEANING.includes(key) || (key === "schema" && value === "public")) return [];
    if (!PARAMETER.test(key))
      return [`${name}: what stands behind the ? in it is not read. A ? of the password is written as %3F.`];
    if (SCHEMAS.includes(key)) {
      const options = `options=-c%20search_path%3D${encodeURIComponent(value)}`;
      return [
        `${name}: ${key}=${value} in it is not read. Put ${options} in its place to have tables there, or take it out.`,
      ];
    }
    return [`${name}: ${key} in it is not read. ${unreadMend(key)}`];
  });
}

function unreadMend(key: string): string {
  const near = READ.find((one) => plainKey(one) === plainKey(key));
  if (near !== undefined) return `Did you mean "${near}"?`;
  if (/^(?:ssl|tls)/iu.test(key)) return "How it is encrypted say sslmode, sslrootcert, sslcert and sslkey.";
  return "Take it out; a setting of PostgreSQL's goes into options=-c%20….";
}

function plainKey(key: string): string {
  return key.toLowerCase().replaceAll(/[_-]/gu, "");
}
