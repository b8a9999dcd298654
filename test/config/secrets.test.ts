import { expect, test } from "vitest";
import { secretsOf } from "../../src/config/describe.ts";
import { mcpSettings } from "../../src/features/mcp/feature.ts";
import { type Given, load, problemsOf } from "../support/program/config-sources.ts";

const SECRET = "sk-verysecretverysecret";
const leaks: { name: string; given: Given }[] = [
  { name: "a token with a space", given: { env: { DISCORD_TOKEN: `${SECRET} x` } } },
  { name: "a key of the wrong type in the file", given: { file: { providers: { openai: { apiKey: [SECRET] } } } } },
  { name: "a token in the wrong variable", given: { env: { LOG_LEVEL: SECRET } } },
  { name: "a database URL", given: { env: { DATABASE_URL: `mysql://u:${SECRET}@h/x` } } },
  { name: "a database URL beside a pooler", given: { env: { DATABASE_DIRECT_URL: `mysql://u:${SECRET}@h/x` } } },
  { name: "a base URL with a password", given: { env: { OPENAI_BASE_URL: `ftp://u:${SECRET}@h` } } },
];

test.each(leaks)("$name never appears in an error", ({ given }) => {
  const problems = problemsOf(given);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.join("\n")).not.toContain(SECRET);
});

const servers: { name: string; server: object }[] = [
  { name: "environment", server: { command: 1, env: { K: SECRET } } },
  { name: "header", server: { url: "x", headers: { K: SECRET } } },
  { name: "header of the wrong type", server: { url: "https://h/", headers: { K: [SECRET] } } },
  { name: "address", server: { url: `ftp://u:${SECRET}@h` } },
];

test.each(servers)("an MCP server's $name never appears in what is wrong with it", ({ server }) => {
  const { mcp, notes } = mcpSettings({ file: { mcpServers: { a: server } }, environment: {} });
  expect(mcp.idle).toHaveLength(1);
  expect(JSON.stringify([mcp.idle, notes])).not.toContain(SECRET);
});

test("the description of a configuration holds none of its secrets", () => {
  const config = load({
    env: {
      SLACK_BOT_TOKEN: "xoxb-secret-1",
      SLACK_APP_TOKEN: "xapp-secret-2",
      DISCORD_TOKEN: "secret-3",
      ANTHROPIC_API_KEY: "secret-4",
      DATABASE_URL: "postgresql://u:secret%2D5@db/x",
      DATABASE_DIRECT_URL: "postgresql://u:secret-H@db/x?password=secret-I",
      OPENAI_BASE_URL: "https://u:secret-6@h/v1",
    },
    file: {
      mcpServers: {
        a: {
          command: "x",
          args: ["-y", "--api-key", "secret-A", "--token=secret-B", "https://u:secret-C@h/?k=secret-D", "plain"],
          env: { K: "secret-7" },
        },
        b: { url: "https://h/", headers: { K: "secret-8" } },
        c: {
          url: "https://secret-E@h/secret1234567890abcdef/mcp?key=secret-F",
          headers: { authorization: "Bearer secret-G" },
          oauth: { clientId: "a-client", clientSecret: "secret-J" },
        },
      },
    },
  });
  const secrets = secretsOf(config);
  expect(secrets.toSorted()).toEqual([
    "Bearer secret-G",
    "secret%2D5",
    "secret-3",
    "secret-4",
    "secret-5",
    "secret-6",
    "secret-7",
    "secret-8",
    "secret-A",
    "secret-B",
    "secret-C",
    "secret-D",
    "secret-E",
    "secret-F",
    "secret-G",
    "secret-H",
    "secret-I",
    "secret-J",
    "secret1234567890abcdef",
    "u",
    "xapp-secret-2",
    "xoxb-secret-1",
  ]);
});
