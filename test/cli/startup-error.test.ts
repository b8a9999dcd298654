import { DriverAdapterError } from "@prisma/driver-adapter-utils";
import { expect, test } from "vitest";
import { commandErrorLines, startupErrorLines } from "../../src/cli/startup-error.ts";
import { ConnectionLost } from "../../src/core/protocol/database-failure.ts";
import { AppError, ConfigError, PlatformError, toAppError } from "../../src/core/protocol/errors.ts";

test.each([
  { error: new ConfigError(["PORT: one", "HOST: two"]), words: ["✗ PORT: one", "✗ HOST: two"] },
  {
    error: new PlatformError("platform_auth", "invalid_auth", {
      detail: { platform: "Slack", keyVariable: "SLACK_BOT_TOKEN" },
    }),
    words: ["✗ Slack does not accept my token. An operator must renew `SLACK_BOT_TOKEN`."],
  },
  {
    error: new PlatformError("platform_failed", "cannot listen", { detail: { platform: "Slack" } }),
    words: [
      expect.stringMatching(/^✗ Deckhand cannot continue \(platform_failed\)\. The last error in the log says why/u),
    ],
  },
  {
    error: new AppError("defect", "unknown"),
    words: [expect.stringMatching(/^✗ Deckhand cannot continue \(defect\)/u)],
  },
  {
    error: toAppError(new ConnectionLost("Connection terminated unexpectedly")),
    words: [expect.stringMatching(/^✗ The database does not answer, .* start it again once the database answers\./u)],
  },
  {
    error: toAppError(Object.assign(new Error("no space left on device, write"), { code: "ENOSPC" })),
    words: ["✗ The disk is full. Deckhand stops here; free up space, then start it again."],
  },
])("the fatal error $error.code is explained to an operator", ({ error, words }) => {
  expect(startupErrorLines(error)).toEqual(words);
});

test("a command has no log, so it prints the error itself", () => {
  const defect = new TypeError("rows is not iterable");
  expect(commandErrorLines(defect)).toEqual(["✗ The command failed (defect):", defect.stack]);
  expect(commandErrorLines(new ConnectionLost("connect ECONNREFUSED 127.0.0.1:5432"))).toEqual([
    "✗ The database does not answer, or the connection was lost. Run this again once it answers.",
    "connect ECONNREFUSED 127.0.0.1:5432",
  ]);
  expect(commandErrorLines(new ConfigError(["PORT: one"]))).toEqual(["✗ PORT: one"]);
  const [originalCode, originalMessage] = ["SQLITE_FULL", "database or disk is full"];
  const full = { kind: "sqlite", extendedCode: 13, message: originalMessage, originalCode, originalMessage } as const;
  expect(commandErrorLines(new DriverAdapterError(full))).toEqual([
    "✗ The disk is full. Free up space, then run this again.",
    originalMessage,
  ]);
});
