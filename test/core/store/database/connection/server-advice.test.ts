import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { unavailable } from "../../../../../src/core/store/database/connection/unavailable.ts";

const URL_GIVEN = "postgresql://u:hunter%2322@db.example.com/x";

/** The error that the driver throws for an answer of a server or a pooler. */
function said(code: string, message: string): Error {
  return Object.assign(new DatabaseError(message, message.length, "error"), { code, severity: "FATAL" });
}

const failed = (code: string, message: string): Error => Object.assign(new Error(message), { code });

/** Sources: the poolers' and hosters' public code and documentation, and issues in which people quote them. */
const answers: readonly { from: string; error: Error; line: RegExp }[] = [
  {
    from: "Supabase's pooler, which does not know the user",
    error: said("XX000", "(ENOTFOUND) tenant/user postgres.abc not found"),
    line: /\(XX000\)\. It says: “\(ENOTFOUND\) tenant\/user postgres\.abc not found”\. Fix that/u,
  },
  {
    from: "a pooler that has given out all it has",
    error: said("08P01", "no more connections allowed\n(max_client_conn)"),
    line: /\(08P01\)\. It says: “no more connections allowed \(max_client_conn\)”/u,
  },
  {
    from: "a pooler that does not know the password",
    error: said("08P01", "password authentication failed"),
    line: /\(08P01\)\. Correct the user or password/u,
  },
  {
    from: "a server that quotes a password",
    error: said("08P01", "no user u:hunter#22, u:hunter%2322"),
    line: /It says: “no user u:…, u:…”/u,
  },
  ...[
    said("XX000", "(ESSLREQUIRED) SSL connection is required for user: u"),
    said("28000", "SSL/TLS required"),
    said("28000", "This RDS Proxy requires TLS connections"),
    said("08P01", "SSL required"),
  ].map((error) => ({
    from: `a hoster without TLS (${error.message})`,
    error,
    line: /It requires TLS: append/u,
  })),
  {
    from: "a server whose list has neither this address nor TLS",
    error: said("28000", 'no pg_hba.conf entry for host "10.0.0.7", user "u", database "x", no encryption'),
    line: /It requires TLS: append \?sslmode=require .* its pg_hba\.conf may lack a line/u,
  },
  {
    from: "a server whose list does not have this address",
    error: said("28000", 'no pg_hba.conf entry for host "10.0.0.7", user "u", database "x", SSL encryption'),
    line: /Its pg_hba\.conf, or the hosting provider's list of addresses, does not allow this user, database and address/u,
  },
  {
    from: "a server that begins",
    error: said("57P03", "the database system is starting up"),
    line: /It is starting, recovering or shutting down/u,
  },
  {
    from: "a host with an address of IPv6 alone",
    error: failed("ENETUNREACH", "connect ENETUNREACH 2a05:d018::1:5432"),
    line: /This machine cannot reach that host\. .* its session pooler/u,
  },
  { from: "a firewall", error: new Error("timeout expired"), line: /It does not answer in time/u },
  {
    from: "a port of something else",
    error: new Error("Connection terminated unexpectedly"),
    line: /The connection is closed without an answer. Check that this is PostgreSQL's port/u,
  },
  {
    from: "a certificate that is over",
    error: failed("CERT_HAS_EXPIRED", "certificate has expired"),
    line: /Its certificate has expired or is not valid yet/u,
  },
];

test.each(answers)("$from is explained in one line without the password", ({ error, line }) => {
  const { problems } = unavailable(URL_GIVEN, error);
  expect(problems).toEqual([expect.stringMatching(line)]);
  expect(problems.join("")).not.toMatch(/hunter|\n/u);
});

test.each(["MODULE_NOT_FOUND", "ERR_DLOPEN_FAILED"])(
  "node_modules of another platform (%s) are reported by the missing driver, without a path",
  (code) => {
    const { problems } = unavailable("file:/data/deckhand.db", failed(code, "no"));
    expect(problems).toEqual([
      expect.stringContaining(`The SQLite driver does not run on this machine (${process.platform}`),
    ]);
  },
);
