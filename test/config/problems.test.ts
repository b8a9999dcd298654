import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { timezoneOf } from "../../src/channel-config.ts";
import { loadConfig } from "../../src/config.ts";
import { FEATURES } from "../../src/features/features.ts";
import { type Given, load, problemsOf } from "../support/program/config-sources.ts";
import { tempDirectory } from "../support/temp-directory.ts";

const SLACK = { SLACK_BOT_TOKEN: "xoxb-1" };

const SLACK_OVER_HTTP = { SLACK_BOT_TOKEN: "xoxb-1", SLACK_SIGNING_SECRET: "abc" };

const refused: { name: string; given: Given; problem: string }[] = [
  {
    name: "a port that is no number",
    given: { env: { PORT: "http" } },
    problem: 'PORT: must be a whole number from 0 to 65535, but is "http". Example: PORT=3000',
  },
  {
    name: "a port out of range",
    given: { env: { PORT: "70000" } },
    problem: 'PORT: must be a whole number from 0 to 65535, but is "70000". Example: PORT=3000',
  },
  {
    name: "a database of another kind",
    given: { env: { DATABASE_URL: "mysql://u:hunter22@x/y" } },
    problem:
      "DATABASE_URL: must begin with file: (a path) or postgresql://. Example: DATABASE_URL=postgresql://deckhand@localhost:5432/deckhand",
  },
  {
    name: "an address beside a pooler that is of another kind",
    given: { env: { DATABASE_URL: "postgresql://x/y", DATABASE_DIRECT_URL: "mysql://u:hunter22@x/y" } },
    problem:
      "DATABASE_DIRECT_URL: must begin with postgresql://. Example: DATABASE_DIRECT_URL=postgresql://deckhand@localhost:5432/deckhand",
  },
  {
    name: "an address beside a pooler for a file",
    given: { env: { DATABASE_DIRECT_URL: "postgresql://u:hunter22@x/y" } },
    problem:
      "DATABASE_DIRECT_URL: requires DATABASE_URL to be a PostgreSQL URL, and it is not. Unset DATABASE_DIRECT_URL, or set DATABASE_URL. Example: DATABASE_URL=postgresql://deckhand@localhost:6432/deckhand",
  },
  ...["1", "0", "many", "2.5", "-3", ""].map((limit) => ({
    name: `a number of connections that is none or too low (${limit})`,
    given: { env: { DATABASE_URL: `postgresql://u:hunter22@x/y?sslmode=require&connection_limit=${limit}` } },
    problem:
      "DATABASE_URL: connection_limit must be a whole number from 2 to 999. Example: DATABASE_URL=postgresql://deckhand@localhost:5432/deckhand",
  })),
  ...[
    { env: { DECKHAND_HOME: "~/deckhand" }, key: "DECKHAND_HOME" },
    { env: { DECKHAND_SANDBOX: "~" }, key: "DECKHAND_SANDBOX" },
    { env: { DATABASE_URL: "file:~/deckhand.db" }, key: "DATABASE_URL" },
    {
      file: { channels: { "slack:C0123ABCD": { directory: "~/checkout" } } },
      key: "deckhand.config.json: channels.slack:C0123ABCD.directory",
    },
    { file: { workingDirectory: "~/checkout" }, key: "deckhand.config.json: workingDirectory" },
  ].map(({ key, ...given }) => ({
    name: `a home directory that no shell writes out in ${key}`,
    given,
    problem: `${key}: must be written out in full: ~ is not expanded to the home directory`,
  })),
  {
    name: "parameters behind a file",
    given: { env: { DATABASE_URL: "file:./dev.db?connection_limit=1" } },
    problem: "DATABASE_URL: must name a file, without parameters (?…)",
  },
  {
    name: "a password that no URL can hold",
    given: { env: { DATABASE_URL: "postgresql://u:hunter/22#@x/y" } },
    problem:
      "DATABASE_URL: must be a complete postgresql:// URL, with special characters in the password percent-encoded: # as %23",
  },
  {
    name: "a password in another encoding",
    given: { env: { DATABASE_URL: "postgres://u:hunter22%E4@x/y" } },
    problem:
      "DATABASE_URL: must be a complete postgresql:// URL, with special characters in the password percent-encoded: # as %23",
  },
  {
    name: "a variable within a URL",
    given: { dotenv: "DATABASE_URL=postgresql://u:${PGPASSWORD}@x/y\n" },
    problem: "DATABASE_URL: must be written out in full: ${…} in it is not expanded",
  },
  ...["sslmode=REQUIRE", "sslmode=", "ssl=on"].map((mode) => ({
    name: `TLS in a word of its own (${mode})`,
    given: { env: { DATABASE_URL: `postgresql://u:hunter22@x/y?${mode}` } },
    problem: "DATABASE_URL: sslmode must be disable, prefer, require, verify-ca, verify-full or no-verify",
  })),
  ...["postgresql://u:hunter22@a:5432,b:5432/y", "postgres://a,b/y", "postgres://u@/y?host=a,b"].map((url) => ({
    name: `several servers (${url})`,
    given: { env: { DATABASE_URL: url } },
    problem: "DATABASE_URL: must name a single server, or an address that always points to the primary",
  })),
  {
    name: "a key in the quotes that were to be around it",
    given: { env: { ANTHROPIC_API_KEY: '"sk-ant-1"' } },
    problem: "ANTHROPIC_API_KEY: must not contain spaces, quotes or non-ASCII characters",
  },
  {
    name: "a key that still is the example's",
    given: { env: { DISCORD_TOKEN: "MTIz…" } },
    problem: "DISCORD_TOKEN: is still an example; replace it with the whole value",
  },
  ...["PORT: 3000", "PORT 3000", "export PORT: 3000"].map((line) => ({
    name: `a line of .env that assigns nothing (${line})`,
    given: { dotenv: `# PORT: the page\nLOG_LEVEL=info\n${line}\n` },
    problem: ".env: line 3 sets nothing. Write it as PORT=…",
  })),
  {
    name: "an .env in UTF-16",
    given: { dotenv: "P\0O\0R\0T\0=\u00001\0" },
    problem: ".env: is not UTF-8. Save it as UTF-8.",
  },
  {
    name: "settings in Latin-1",
    given: { file: Buffer.from('{"systemPrompt": "Réponds"}', "latin1") },
    problem: "deckhand.config.json: is not UTF-8. Save it as UTF-8.",
  },
  {
    name: "a key that names a variable",
    given: { file: { providers: { anthropic: { apiKey: "${ANTHROPIC_API_KEY}" } } } },
    problem: "deckhand.config.json: providers.anthropic.apiKey: cannot refer to a variable: set <PROVIDER>_API_KEY",
  },
  {
    name: "a text in place of one of several types",
    given: { file: { memory: "false" } },
    problem:
      'deckhand.config.json: memory: must be true or false, or an object, but is "false". Example: "memory": {"learn":false}',
  },
  {
    name: "an unknown log level",
    given: { env: { LOG_LEVEL: "loud" } },
    problem:
      'LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent, but is "loud". Example: LOG_LEVEL=info',
  },
  {
    name: "a model without its provider",
    given: { env: { DECKHAND_MODEL: "opus" } },
    problem:
      'DECKHAND_MODEL: must be provider/model, with the provider in lower-case letters, but is "opus". Example: DECKHAND_MODEL=anthropic/claude-opus-5-5',
  },
  {
    name: "a bot token alone",
    given: { env: SLACK },
    problem:
      "SLACK_BOT_TOKEN: also requires SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP mode). Example: SLACK_APP_TOKEN=xapp-…",
  },
  {
    name: "several processes on a database that one alone may have",
    given: { env: { DECKHAND_ENGINE: "dbos" } },
    problem:
      "DECKHAND_ENGINE: dbos needs PostgreSQL. Example: DATABASE_URL=postgresql://deckhand@localhost:5432/deckhand",
  },
  {
    name: "an app token alone",
    given: { env: { SLACK_APP_TOKEN: "xapp-1" } },
    problem: "SLACK_BOT_TOKEN: is missing, but SLACK_APP_TOKEN is set. Example: SLACK_BOT_TOKEN=xoxb-…",
  },
  {
    name: "a misspelt key",
    given: { file: { maxTurn: 3 } },
    problem: 'deckhand.config.json: maxTurn: is not a known key. Did you mean "maxTurns"?',
  },
  {
    name: "a key in another group than its own",
    given: { file: { approvals: { admins: ["slack:U1"] } } },
    problem: 'deckhand.config.json: approvals.admins: is not a known key. Did you mean "access.admins"?',
  },
  {
    name: "a key outside its group",
    given: { file: { admins: ["slack:U1"] } },
    problem: 'deckhand.config.json: admins: is not a known key. Did you mean "access.admins"?',
  },
  {
    name: "a key in a group that belongs to none",
    given: { file: { access: { maxTurns: 5 } } },
    problem: 'deckhand.config.json: access.maxTurns: is not a known key. Did you mean "maxTurns"?',
  },
  {
    name: "a working directory outside of the sandbox root",
    given: { file: { workingDirectory: "a/../../b" } },
    problem:
      'deckhand.config.json: workingDirectory: must be a path under the sandbox root, but is "a/../../b". Example: "workingDirectory": "service"',
  },
  {
    name: "a misspelt key far inside",
    given: { file: { channels: { "slack:C1": { requireMentions: true } } } },
    problem:
      'deckhand.config.json: channels.slack:C1.requireMentions: is not a known key. Did you mean "requireMention"?',
  },
  {
    name: "a key nothing resembles",
    given: { file: { access: { zzzzzz: 1 } } },
    problem:
      "deckhand.config.json: access.zzzzzz: is not a known key. Possible names: admins, allow, deny, guests, external, workspaces.",
  },
  {
    name: "a value of the wrong type",
    given: { file: { maxTurns: "many" } },
    problem: 'deckhand.config.json: maxTurns: must be a whole number, but is "many". Example: "maxTurns": 50',
  },
  {
    name: "a number out of range",
    given: { file: { temperature: 3 } },
    problem: 'deckhand.config.json: temperature: must be at most 2, but is 3. Example: "temperature": 0.2',
  },
  {
    name: "a person without a platform",
    given: { file: { access: { admins: ["ana"] } } },
    problem:
      'deckhand.config.json: access.admins[0]: must be slack:U…, discord:<id>, discord:role:<id>, web:<id> or terminal:local, but is "ana".',
  },
  {
    name: "a channel without a platform",
    given: { file: { channels: { general: {} } } },
    problem:
      "deckhand.config.json: channels.general: is not a valid name: channels are named slack:C…, discord:<id>, web:<id> or terminal:<id>.",
  },
  {
    name: "a channel by its name on Slack",
    given: { file: { channels: { "slack:#general": {} } } },
    problem: "deckhand.config.json: channels.slack:#general: is not a valid name: channels are named slack:C…, ",
  },
  {
    name: "a channel by its name on Discord",
    given: { file: { channels: { "discord:general": {} } } },
    problem: "deckhand.config.json: channels.discord:general: is not a valid name: channels are named slack:C…, ",
  },
  {
    name: "a channel with its workspace",
    given: { file: { channels: { "slack:T0123ABCD/C0123ABCD": {} } } },
    problem: "discord:<id>, web:<id> or terminal:<id>; write slack:C0123ABCD here.",
  },
  {
    name: "a port of Slack and of sites",
    given: { env: SLACK_OVER_HTTP, file: { sites: true } },
    problem: "sites.port: is 3001, the same port as SLACK_HTTP_PORT. Set one of the two",
  },
  {
    name: "a port of the page and of sites",
    given: { env: { PORT: "3917" }, file: { sites: { port: 3917 } } },
    problem: "sites.port: is 3917, the same port as PORT.",
  },
  {
    name: "a port of the page and of Slack, one at all addresses",
    given: { env: { ...SLACK_OVER_HTTP, PORT: "3917", SLACK_HTTP_PORT: "3917", SLACK_HTTP_HOST: "0.0.0.0" } },
    problem: "SLACK_HTTP_PORT: is 3917, the same port as PORT.",
  },
  {
    name: "a key that stands twice",
    given: { file: '{"access":{"allow":["slack:U1"]},\n"mode":"read",\n"access":{}}' },
    problem: "deckhand.config.json: access: appears twice, the second time at line 3. Remove one of the two.",
  },
  {
    name: "a missing key",
    given: { file: { providers: { vllm: { models: { m: { price: { input: 1 } } } } } } },
    problem: 'deckhand.config.json: providers.vllm.models.m.price.output: is missing. Example: "output": 15',
  },
  {
    name: "a file that is a list",
    given: { file: [] },
    problem: "deckhand.config.json: must be an object.",
  },
  {
    name: "a named file that does not exist",
    given: { env: { DECKHAND_CONFIG: "/nowhere/deckhand.json" } },
    problem: "DECKHAND_CONFIG: there is no file /nowhere/deckhand.json. Create it, or unset the variable.",
  },
];

test.each(refused)("$name is refused with the key and the way to mend it", ({ given, problem }) => {
  const problems = problemsOf(given);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

test("all problems of environment and file are reported together", () => {
  const problems = problemsOf({
    env: { ...SLACK, PORT: "x", HOST: "10.0.0 .1", ANTHROPIC_BASE_URL: "nonsense" },
    file: { maxTurn: 1, mode: "wild", budgets: { dayUsd: -1 } },
  });
  expect(problems.map((line) => line.replace(/: (is|must|also) .*/, ""))).toEqual([
    "SLACK_BOT_TOKEN",
    "HOST",
    "PORT",
    "ANTHROPIC_BASE_URL",
    "deckhand.config.json: mode",
    "deckhand.config.json: budgets.dayUsd",
    "deckhand.config.json: maxTurn",
  ]);
});

test("comments and commas at an end are passed over, and what is wrong beside them keeps its line", () => {
  const block = `{
  // made for an editor
  "mcpServers": {
    /* the handbook */
    "docs": { "url": "https://example.com/mcp//a", }, // with a comma
  },
}`;
  expect(problemsOf({ file: block })).toEqual([]);
  expect(problemsOf({ file: block.replace('"url":', '"url"') })).toEqual([expect.stringContaining("at line 5,")]);
  expect(problemsOf({ file: block.replace("{\n", '{ "mode": "read", /* x */\n"mode": "agi",\n') })).toEqual([
    "deckhand.config.json: mode: appears twice, the second time at line 2. Remove one of the two.",
  ]);
});

test("broken JSON is located without quoting it", () => {
  const [problem] = problemsOf({ file: '{\n  "providers": { "openai": { "apiKey": "sk-verysecret" ] }\n}' });
  expect(problem).toMatch(/^deckhand\.config\.json: is not valid JSON at line 2, column \d+;/);
  expect(problem).not.toContain("verysecret");
});

test.each([
  { directory: ".", exposed: true },
  { directory: "data", exposed: true },
  { directory: "data/snapshots", exposed: true },
  { directory: "data/sandbox/team", exposed: false },
  { directory: "..data", exposed: false },
  { directory: "../checkout", exposed: false },
])("a channel's directory that reaches Deckhand's own data is refused: $directory", ({ directory, exposed }) => {
  const problems = problemsOf({ file: { channels: { "slack:C1": { directory } } } });
  const refused = /^deckhand\.config\.json: channels\.slack:C1\.directory: tools could reach Deckhand's own data in /u;
  expect(problems).toEqual(exposed ? [expect.stringMatching(refused)] : []);
});

test("a settings file that leads nowhere is no file that is left out", () => {
  const cwd = tempDirectory();
  symlinkSync("nowhere.json", path.join(cwd, "deckhand.config.json"));
  expect(() => loadConfig({ env: {}, cwd }, FEATURES)).toThrow(
    "deckhand.config.json: is a symbolic link to a file that does not exist.",
  );
});

test("a settings file that cannot be reached is told, not thrown", () => {
  const file = path.join(tempDirectory(), "x".repeat(300));
  expect(problemsOf({ env: { DECKHAND_CONFIG: file } })).toEqual([
    expect.stringContaining(": cannot be read (ENAMETOOLONG). Make it a file that this user can read."),
  ]);
});

test("where the system has no time zone that is known, jobs go by UTC, which a line says", () => {
  const before = process.env["TZ"];
  onTestFinished(() => {
    if (before === undefined) delete process.env["TZ"];
    else process.env["TZ"] = before;
  });
  process.env["TZ"] = "Mars/Base";
  const config = load({});
  expect(timezoneOf(config)).toBe("UTC");
  expect(config.warnings).toEqual([expect.stringMatching(/^jobs\.timezone: /u)]);
  expect(load({ file: { jobs: { timezone: "Europe/Paris" } } }).warnings).toEqual([]);
});
