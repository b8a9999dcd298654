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
    words: [expect.stringMatching(/^✗ Deckhand cannot go on \(platform_failed\)\. The error logged last says why/u)],
  },
  { error: new AppError("defect", "unknown"), words: [expect.stringMatching(/^✗ Deckhand cannot go on \(defect\)/u)] },
  {
    error: toAppError(new ConnectionLost("Connection terminated unexpectedly")),
    words: [expect.stringMatching(/^✗ The database does not answer, .* start me again once it answers\./u)],
  },
])("the fatal error $error.code is explained to an operator", ({ error, words }) => {
  expect(startupErrorLines(error)).toEqual(words);
});

test("a command has no log, so it prints the error itself", () => {
  const defect = new TypeError("rows is not iterable");
  expect(commandErrorLines(defect)).toEqual(["✗ That failed (defect):", defect.stack]);
  expect(commandErrorLines(new ConnectionLost("connect ECONNREFUSED 127.0.0.1:5432"))).toEqual([
    "✗ The database does not answer, or broke the connection. Run this again once it answers.",
    "connect ECONNREFUSED 127.0.0.1:5432",
  ]);
  expect(commandErrorLines(new ConfigError(["PORT: one"]))).toEqual(["✗ PORT: one"]);
});
