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
    problem: 'PORT: must be a whole number from 0 to 65535, is "http". Example: PORT=3000',
  },
  {
    name: "a port out of range",
    given: { env: { PORT: "70000" } },
    problem: 'PORT: must be a whole number from 0 to 65535, is "70000". Example: PORT=3000',
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
      "DATABASE_DIRECT_URL: goes with a DATABASE_URL of PostgreSQL, and there is none. Unset it. Example: DATABASE_URL=postgresql://deckhand@localhost:6432/deckhand",
  },
  ...["1", "0", "many", "2.5", "-3", ""].map((limit) => ({
    name: `a number of connections that is none or too low (${limit})`,
    given: { env: { DATABASE_URL: `postgresql://u:hunter22@x/y?sslmode=require&connection_limit=${limit}` } },
    problem:
      "DATABASE_URL: connection_limit in it must be a whole number from 2 to 999. Example: DATABASE_URL=postgresql://deckhand@localhost:5432/deckhand",
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
    problem: `${key}: must be written out: here, ~ is not the home directory`,
  })),
  {
    name: "parameters behind a file",
    given: { env: { DATABASE_URL: "file:./dev.db?connection_limit=1" } },
    problem: "DATABASE_URL: must name a file, without ?…",
  },
  {
    name: "a password that no URL can hold",
    given: { env: { DATABASE_URL: "postgresql://u:hunter/22#@x/y" } },
    problem: "DATABASE_URL: must be a whole postgresql:// URL, with special characters of the password as %23 (for #)",
  },
  {
    name: "a password in another encoding",
    given: { env: { DATABASE_URL: "postgres://u:hunter22%E4@x/y" } },
    problem: "DATABASE_URL: must be a whole postgresql:// URL, with special characters of the password as %23 (for #)",
  },
  {
    name: "a variable within a URL",
    given: { dotenv: "DATABASE_URL=postgresql://u:${PGPASSWORD}@x/y\n" },
    problem: "DATABASE_URL: must be written out: nothing fills in what stands as ${…} in it",
  },
  ...["sslmode=REQUIRE", "sslmode=", "ssl=on"].map((mode) => ({
    name: `TLS in a word of its own (${mode})`,
    given: { env: { DATABASE_URL: `postgresql://u:hunter22@x/y?${mode}` } },
    problem: "DATABASE_URL: sslmode in it must be disable, prefer, require, verify-ca, verify-full or no-verify",
  })),
  ...["postgresql://u:hunter22@a:5432,b:5432/y", "postgres://a,b/y", "postgres://u@/y?host=a,b"].map((url) => ({
    name: `several servers (${url})`,
    given: { env: { DATABASE_URL: url } },
    problem: "DATABASE_URL: must name one server, or the address that leads to whichever is the primary",
  })),
  {
    name: "a key in the quotes that were to be around it",
    given: { env: { ANTHROPIC_API_KEY: '"sk-ant-1"' } },
    problem: "ANTHROPIC_API_KEY: must not contain spaces, quotes or letters beyond ASCII",
  },
  {
    name: "a key that still is the example's",
    given: { env: { DISCORD_TOKEN: "MTIz…" } },
    problem: "DISCORD_TOKEN: must not contain spaces, quotes or letters beyond ASCII",
  },
  ...["PORT: 3000", "PORT 3000", "export PORT: 3000"].map((line) => ({
    name: `a line of .env that assigns nothing (${line})`,
    given: { dotenv: `# PORT: the page\nLOG_LEVEL=info\n${line}\n` },
    problem: ".env: line 3 sets nothing. Write it as PORT=…",
  })),
  {
    name: "an .env in UTF-16",
    given: { dotenv: "P\0O\0R\0T\0=\u00001\0" },
    problem: ".env: is no UTF-8. Write it as that.",
  },
  {
    name: "settings in Latin-1",
    given: { file: Buffer.from('{"systemPrompt": "Réponds"}', "latin1") },
    problem: "deckhand.config.json: is no UTF-8. Write it as that.",
  },
  {
    name: "a key that names a variable",
    given: { file: { providers: { anthropic: { apiKey: "${ANTHROPIC_API_KEY}" } } } },
    problem:
      "deckhand.config.json: providers.anthropic.apiKey: is not taken from a variable here: set <PROVIDER>_API_KEY",
  },
  {
    name: "a text in place of one of several types",
    given: { file: { memory: "false" } },
    problem:
      'deckhand.config.json: memory: must be true or false, or an object, is "false". Example: "memory": {"learn":false}',
  },
  {
    name: "an unknown log level",
    given: { env: { LOG_LEVEL: "loud" } },
    problem:
      'LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent, is "loud". Example: LOG_LEVEL=info',
  },
  {
    name: "a model without its provider",
    given: { env: { DECKHAND_MODEL: "opus" } },
    problem:
      'DECKHAND_MODEL: must be provider/model, the provider in small letters, is "opus". Example: DECKHAND_MODEL=anthropic/claude-opus-5-5',
  },
  {
    name: "a bot token alone",
    given: { env: SLACK },
    problem:
      "SLACK_BOT_TOKEN: needs SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP mode) beside it. Example: SLACK_APP_TOKEN=xapp-…",
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
    problem: "SLACK_BOT_TOKEN: is missing though SLACK_APP_TOKEN is set. Example: SLACK_BOT_TOKEN=xoxb-…",
  },
  {
    name: "a misspelt key",
    given: { file: { maxTurn: 3 } },
    problem: 'deckhand.config.json: maxTurn: is not known. Did you mean "maxTurns"?',
  },
  {
    name: "a working directory outside of the sandbox root",
    given: { file: { workingDirectory: "a/../../b" } },
    problem:
      'deckhand.config.json: workingDirectory: must be a path beneath the sandbox root, is "a/../../b". Example: "workingDirectory": "service"',
  },
  {
    name: "a misspelt key far inside",
    given: { file: { channels: { "slack:C1": { requireMentions: true } } } },
    problem: 'deckhand.config.json: channels.slack:C1.requireMentions: is not known. Did you mean "requireMention"?',
  },
  {
    name: "a key nothing resembles",
    given: { file: { access: { zzzzzz: 1 } } },
    problem:
      "deckhand.config.json: access.zzzzzz: is not known. Known here: admins, allow, deny, guests, external, workspaces.",
  },
  {
    name: "a value of the wrong type",
    given: { file: { maxTurns: "many" } },
    problem: 'deckhand.config.json: maxTurns: must be a whole number, is "many". Example: "maxTurns": 50',
  },
  {
    name: "a number out of range",
    given: { file: { temperature: 3 } },
    problem: 'deckhand.config.json: temperature: must be at most 2, is 3. Example: "temperature": 0.2',
  },
  {
    name: "a person without a platform",
    given: { file: { access: { admins: ["ana"] } } },
    problem:
      'deckhand.config.json: access.admins[0]: must be slack:U…, discord:<id>, discord:role:<id>, web:<id> or terminal:local, is "ana".',
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
    problem: "discord:<id>, web:<id> or terminal:<id>; here it is slack:C0123ABCD.",
  },
  {
    name: "a port of Slack and of sites",
    given: { env: SLACK_OVER_HTTP, file: { sites: true } },
    problem: "sites.port: is 3001, as SLACK_HTTP_PORT is, and only one of them can have it. Set one of the two",
  },
  {
    name: "a port of the page and of sites",
    given: { env: { PORT: "3917" }, file: { sites: { port: 3917 } } },
    problem: "sites.port: is 3917, as PORT is",
  },
  {
    name: "a port of the page and of Slack, one at all addresses",
    given: { env: { ...SLACK_OVER_HTTP, PORT: "3917", SLACK_HTTP_PORT: "3917", SLACK_HTTP_HOST: "0.0.0.0" } },
    problem: "SLACK_HTTP_PORT: is 3917, as PORT is",
  },
  {
    name: "a key that stands twice",
    given: { file: '{"access":{"allow":["slack:U1"]},\n"mode":"read",\n"access":{}}' },
    problem: "deckhand.config.json: access: stands twice, again at line 3. Keep one of the two.",
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
  expect(problems.map((line) => line.replace(/: (is|must|needs) .*/, ""))).toEqual([
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
  expect(load({ file: block }).features.flatMap(({ facts }) => facts?.["mcpServers"] ?? [])).toEqual(["docs"]);
  expect(problemsOf({ file: block.replace('"url":', '"url"') })).toEqual([expect.stringContaining("at line 5,")]);
  expect(problemsOf({ file: block.replace("{\n", '{ "mode": "read", /* x */\n"mode": "agi",\n') })).toEqual([
    "deckhand.config.json: mode: stands twice, again at line 2. Keep one of the two.",
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
  const refused = /^deckhand\.config\.json: channels\.slack:C1\.directory: tools would reach Deckhand's own data in /u;
  expect(problems).toEqual(exposed ? [expect.stringMatching(refused)] : []);
});

test("a settings file that leads nowhere is no file that is left out", () => {
  const cwd = tempDirectory();
  symlinkSync("nowhere.json", path.join(cwd, "deckhand.config.json"));
  expect(() => loadConfig({ env: {}, cwd }, FEATURES)).toThrow(
    "deckhand.config.json: is a link to a file that is not there.",
  );
});

test("a settings file that cannot be reached is told, not thrown", () => {
  const file = path.join(tempDirectory(), "x".repeat(300));
  expect(problemsOf({ env: { DECKHAND_CONFIG: file } })).toEqual([
    expect.stringContaining(": cannot be read (ENAMETOOLONG). Make it a file that this user may read."),
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
