import { expect, test } from "vitest";
import { lastWords } from "../../src/cli/last-words.ts";
import { AppError, ConfigError, PlatformError } from "../../src/core/protocol/errors.ts";

test.each([
  { error: new ConfigError(["PORT: one", "HOST: two"]), words: ["✗ PORT: one", "✗ HOST: two"] },
  {
    error: new PlatformError("platform_auth", "invalid_auth", {
      detail: { platform: "slack", keyVariable: "SLACK_BOT_TOKEN" },
    }),
    words: ["✗ Slack does not accept my token. An operator must renew `SLACK_BOT_TOKEN`."],
  },
  {
    error: new PlatformError("platform_failed", "cannot listen", { detail: { platform: "slack" } }),
    words: [expect.stringMatching(/^✗ Deckhand cannot go on \(platform_failed\)\. The error logged last says why/u)],
  },
  { error: new AppError("defect", "unknown"), words: [expect.stringMatching(/^✗ Deckhand cannot go on \(defect\)/u)] },
])("what ends the program is said to an operator: $error.code", ({ error, words }) => {
  expect(lastWords(error)).toEqual(words);
});
