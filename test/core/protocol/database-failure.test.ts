import { expect, test } from "vitest";
import { isDatabaseUnavailable } from "../../../src/core/protocol/database-failure.ts";

/** The error in which Prisma wraps the answer of a server or a pooler. */
function passedOn(code: string, cause: object): Error {
  const error = Object.assign(new Error("…"), { code, meta: { driverAdapterError: { cause } } });
  error.name = "PrismaClientKnownRequestError";
  return error;
}

const failures = [
  {
    what: "a pooler that has given out all it has",
    code: "P2039",
    severity: "FATAL",
    originalCode: "XX000",
    away: true,
  },
  { what: "a defect of the server's", code: "P2039", severity: "ERROR", originalCode: "XX000", away: false },
  { what: "a password that was changed", code: "P1000", originalCode: "28P01", away: true },
  { what: "a row that is there already", code: "P2002", originalCode: "23505", away: false },
];

test.each(failures)("whether $what is transient: $away", ({ code, severity, originalCode, away }) => {
  expect(isDatabaseUnavailable(passedOn(code, { originalCode, severity }))).toBe(away);
});
