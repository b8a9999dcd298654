import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { describeConfig, secretsOf } from "../../src/config/describe.ts";
import { type Config, loadConfig } from "../../src/config.ts";
import { ConfigError } from "../../src/core/protocol/errors.ts";
import { tempDirectory } from "../support/temp-directory.ts";

interface Given {
  readonly env?: Record<string, string>;
  readonly file?: unknown;
  readonly dotenv?: string;
}

function directoryWith({ file, dotenv }: Given): string {
  const cwd = tempDirectory();
  if (file !== undefined) {
    writeFileSync(path.join(cwd, "deckhand.config.json"), typeof file === "string" ? file : JSON.stringify(file));
  }
  if (dotenv !== undefined) writeFileSync(path.join(cwd, ".env"), dotenv);
  return cwd;
}

function load(given: Given): Config {
  return loadConfig({ env: given.env ?? {}, cwd: directoryWith(given) });
}

function problemsOf(given: Given): readonly string[] {
  try {
    load(given);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

test("an empty environment gives the documented defaults", () => {
  const cwd = directoryWith({});
  expect(loadConfig({ env: {}, cwd })).toEqual({
    slack: null,
    discord: null,
    web: { host: "127.0.0.1", port: 3000 },
    database: { kind: "sqlite", url: `file:${cwd}/data/deckhand.db` },
    home: path.join(cwd, "data"),
    sandbox: path.join(cwd, "data/sandbox"),
    configFile: null,
    logLevel: "info",
    query: {
      model: null,
      maxTokens: 32_000,
      maxTurns: 50,
      toolResultBudget: 50_000,
      outputStyle: "default",
      workingDirectory: ".",
      agentDefinition: "build",
      mode: "write",
      logContext: {},
    },
    access: { admins: [], deny: [], guests: false, external: false },
    approvals: { approvers: [], requester: true, expiresMinutes: 60 },
    allowedHosts: [],
    blockedUrls: [],
    budgets: {},
    agents: {},
    mcpServers: {},
    maxConcurrentRuns: 32,
    channels: {},
    providers: {},
    warnings: [],
  });
});

const SLACK = { SLACK_BOT_TOKEN: "xoxb-1" };

const accepted: { name: string; given: Given; key: (config: Config) => unknown; value: unknown }[] = [
  {
    name: "the environment wins over the file",
    given: { env: { DECKHAND_MODEL: "openai/gpt-6-sol" }, file: { model: "anthropic/claude-opus-5-5" } },
    key: (config) => config.query.model,
    value: "openai/gpt-6-sol",
  },
  {
    name: "the file wins over the default",
    given: { file: { maxTurns: 7 } },
    key: (config) => config.query.maxTurns,
    value: 7,
  },
  {
    name: "the real environment wins over .env",
    given: { env: { PORT: "4000" }, dotenv: "PORT=5000\nLOG_LEVEL=debug" },
    key: (config) => [config.web.port, config.logLevel],
    value: [4000, "debug"],
  },
  {
    name: "an empty variable counts as unset",
    given: { env: { PORT: "", DISCORD_TOKEN: " " }, dotenv: "PORT=5000" },
    key: (config) => [config.web.port, config.discord],
    value: [5000, null],
  },
  {
    name: "an app token selects Socket Mode",
    given: { env: { ...SLACK, SLACK_APP_TOKEN: "xapp-1" } },
    key: (config) => config.slack,
    value: { botToken: "xoxb-1", mode: { type: "socket", appToken: "xapp-1" } },
  },
  {
    name: "a signing secret selects HTTP mode with a listener of its own",
    given: {
      env: { ...SLACK, SLACK_SIGNING_SECRET: "s3cret", SLACK_HTTP_PORT: "0", SLACK_API_URL: "http://[::1]:9/" },
    },
    key: (config) => config.slack,
    value: {
      botToken: "xoxb-1",
      apiUrl: "http://[::1]:9/",
      mode: { type: "http", signingSecret: "s3cret", host: "127.0.0.1", port: 0 },
    },
  },
  {
    name: "a provider's key comes from the environment, its address from the file",
    given: {
      env: { GEMINI_API_KEY: "g-key" },
      file: { providers: { google: { apiKey: "other", baseUrl: "http://127.0.0.1:1/v1" } } },
    },
    key: (config) => config.providers,
    value: { google: { apiKey: "g-key", baseUrl: "http://127.0.0.1:1/v1" } },
  },
  {
    name: "providers is stronger than providerRegistry",
    given: {
      file: {
        providerRegistry: { mine: { apiKey: "a", wire: "chat" } },
        providers: { mine: { apiKey: "b" } },
      },
    },
    key: (config) => config.providers,
    value: { mine: { apiKey: "b", wire: "chat" } },
  },
  {
    name: "keys that begin with // are comments at every depth",
    given: { file: { "// note": 1, "//model": "x", channels: { "slack:C1": { "//directory": "/x", maxTurns: 3 } } } },
    key: (config) => config.channels,
    value: { "slack:C1": { maxTurns: 3 } },
  },
  {
    name: "PostgreSQL is accepted",
    given: { env: { DATABASE_URL: "postgresql://u:p@db:5432/x" } },
    key: (config) => config.database,
    value: { kind: "postgresql", url: "postgresql://u:p@db:5432/x" },
  },
  {
    name: "budgets.runUsd is the budget of a run",
    given: { file: { budgets: { runUsd: 2 } } },
    key: (config) => config.query.maxBudgetUsd,
    value: 2,
  },
  {
    name: "a byte order mark before the file's JSON is skipped",
    given: { file: '\uFEFF{"maxTurns":4}' },
    key: (config) => config.query.maxTurns,
    value: 4,
  },
];

test.each(accepted)("$name", ({ given, key, value }) => {
  expect(key(load(given))).toEqual(value);
});

test("relative directories of channels start at the configuration file", () => {
  const cwd = directoryWith({ file: { channels: { "discord:1": { directory: "checkout" } } } });
  const config = loadConfig({ env: { DECKHAND_CONFIG: path.join(cwd, "deckhand.config.json") }, cwd: tmpdir() });
  expect(config.channels).toEqual({ "discord:1": { directory: path.join(cwd, "checkout") } });
});

test("every field of the contract is accepted at once", () => {
  const file = {
    $schema: "./deckhand.config.schema.json",
    model: "anthropic/claude-opus-5-5",
    maxTokens: 1000,
    maxTurns: 5,
    systemPrompt: "a",
    appendSystemPrompt: "b",
    outputStyle: "concise",
    outputStylePrompt: "c",
    workingDirectory: "service",
    thinkingBudget: 0,
    temperature: 0.5,
    toolResultBudget: 1000,
    effortLevel: "max",
    maxBudgetUsd: 0.5,
    fallbackModel: "openai/gpt-6-sol",
    agentDefinition: "plan",
    managedAgents: { enabled: true, executorIsolation: true },
    providerRegistry: {},
    toolAllow: ["read"],
    contextWindow: 1000,
    logContext: { team: "ops" },
    mode: "agi",
    access: { admins: ["slack:U1"], allow: ["discord:role:1"], deny: ["discord:2"], guests: true, external: true },
    approvals: { approvers: ["slack:U1"], requester: false, expiresMinutes: 5 },
    allowedHosts: ["*"],
    blockedUrls: ["https://example.com/x"],
    budgets: { dayUsd: 5 },
    agents: { build: { model: "demo/scripted" } },
    channels: { "slack:C1": { model: "demo/scripted", requireMention: true } },
    mcpServers: { docs: { url: "https://mcp.example.com/" }, local: { command: "npx", args: ["x"] } },
    providers: { vllm: { models: { m: { contextWindow: 10, price: { input: 0, output: 0 } } } } },
    maxConcurrentRuns: 1,
  };
  expect(problemsOf({ file })).toEqual([]);
});

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
    name: "a host that other machines reach",
    given: { env: { HOST: "0.0.0.0" } },
    problem:
      'HOST: must be a loopback address: the web page has no login, so it may not be reachable from other machines, is "0.0.0.0". Example: HOST=127.0.0.1',
  },
  {
    name: "a database of another kind",
    given: { env: { DATABASE_URL: "mysql://u:hunter22@x/y" } },
    problem:
      "DATABASE_URL: must begin with file: (a path) or postgresql://. Example: DATABASE_URL=postgresql://deckhand@localhost:5432/deckhand",
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
    name: "a misspelt key far inside",
    given: { file: { channels: { "slack:C1": { requireMentions: true } } } },
    problem: 'deckhand.config.json: channels.slack:C1.requireMentions: is not known. Did you mean "requireMention"?',
  },
  {
    name: "a misspelt key inside a union",
    given: { file: { mcpServers: { docs: { comand: "x" } } } },
    problem: "deckhand.config.json: mcpServers.docs: must have either a `command` or a `url`",
  },
  {
    name: "an extra key inside a union",
    given: { file: { mcpServers: { docs: { url: "https://x.example/", header: {} } } } },
    problem: 'deckhand.config.json: mcpServers.docs.header: is not known. Did you mean "headers"?',
  },
  {
    name: "a key nothing resembles",
    given: { file: { access: { zzzzzz: 1 } } },
    problem: "deckhand.config.json: access.zzzzzz: is not known. Known here: admins, allow, deny, guests, external.",
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
      'deckhand.config.json: access.admins[0]: must be slack:U…, discord:<id>, discord:role:<id> or web:<id>, is "ana".',
  },
  {
    name: "a channel without a platform",
    given: { file: { channels: { general: {} } } },
    problem:
      "deckhand.config.json: channels.general: is not a valid name: channels are named slack:<id>, discord:<id> or web:<id>.",
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
    problem:
      "DECKHAND_CONFIG: there is no file /nowhere/deckhand.json. Create it with `deckhand init`, or unset the variable.",
  },
];

test.each(refused)("$name is refused with the key and the way to mend it", ({ given, problem }) => {
  const problems = problemsOf(given);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

test("all problems of environment and file are reported together", () => {
  const problems = problemsOf({
    env: { ...SLACK, PORT: "x", HOST: "10.0.0.1", ANTHROPIC_BASE_URL: "nonsense" },
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

test("broken JSON is located without quoting it", () => {
  const [problem] = problemsOf({ file: '{\n  "providers": { "openai": { "apiKey": "sk-verysecret" ] }\n}' });
  expect(problem).toMatch(/^deckhand\.config\.json: is not valid JSON at line 2, column \d+;/);
  expect(problem).not.toContain("verysecret");
});

const SECRET = "sk-verysecretverysecret";
const leaks: { name: string; given: Given }[] = [
  { name: "a token with a space", given: { env: { DISCORD_TOKEN: `${SECRET} x` } } },
  { name: "a key of the wrong type in the file", given: { file: { providers: { openai: { apiKey: [SECRET] } } } } },
  { name: "a token in the wrong variable", given: { env: { LOG_LEVEL: SECRET } } },
  { name: "a database URL", given: { env: { DATABASE_URL: `mysql://u:${SECRET}@h/x` } } },
  { name: "an MCP server's environment", given: { file: { mcpServers: { a: { command: 1, env: { K: SECRET } } } } } },
  { name: "an MCP server's header", given: { file: { mcpServers: { a: { url: "x", headers: { K: SECRET } } } } } },
  { name: "a base URL with a password", given: { env: { OPENAI_BASE_URL: `ftp://u:${SECRET}@h` } } },
];

test.each(leaks)("$name never appears in an error", ({ given }) => {
  const problems = problemsOf(given);
  expect(problems.length).toBeGreaterThan(0);
  expect(problems.join("\n")).not.toContain(SECRET);
});

test("the description of a configuration holds none of its secrets", () => {
  const config = load({
    env: {
      SLACK_BOT_TOKEN: "xoxb-secret-1",
      SLACK_APP_TOKEN: "xapp-secret-2",
      DISCORD_TOKEN: "secret-3",
      ANTHROPIC_API_KEY: "secret-4",
      DATABASE_URL: "postgresql://u:secret%2D5@db/x",
      OPENAI_BASE_URL: "https://u:secret-6@h/v1",
    },
    file: {
      mcpServers: { a: { command: "x", env: { K: "secret-7" } }, b: { url: "https://h/", headers: { K: "secret-8" } } },
    },
  });
  const secrets = secretsOf(config);
  expect(secrets.toSorted()).toEqual([
    "secret%2D5",
    "secret-3",
    "secret-4",
    "secret-5",
    "secret-6",
    "secret-7",
    "secret-8",
    "xapp-secret-2",
    "xoxb-secret-1",
  ]);
  const text = JSON.stringify(describeConfig(config));
  expect(text).toContain("postgresql://db/x");
  expect(text).not.toContain("secret");
});

const warned: { name: string; env: Record<string, string>; warning: string }[] = [
  {
    name: "swapped tokens",
    env: { SLACK_BOT_TOKEN: "xapp-1", SLACK_APP_TOKEN: "xapp-2" },
    warning:
      "SLACK_BOT_TOKEN: does not begin with xoxb-; Slack will probably refuse it. It looks like the value of SLACK_APP_TOKEN.",
  },
  {
    name: "both ways of receiving Slack's events",
    env: { SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-2", SLACK_SIGNING_SECRET: "x" },
    warning: "SLACK_SIGNING_SECRET: is not used, because SLACK_APP_TOKEN selects Socket Mode. Unset one of the two.",
  },
  {
    name: "a misspelt variable",
    env: { DECKHAND_MODLE: "a/b" },
    warning: 'DECKHAND_MODLE: is not read. Did you mean "DECKHAND_MODEL"?',
  },
];

test.each(warned)("$name is warned about", ({ env, warning }) => {
  expect(load({ env }).warnings).toEqual([warning]);
});

test("variables of other programs are left alone", () => {
  expect(load({ env: { SLACK_WEBHOOK_CHANNEL_FOR_DEPLOYS: "x", PATH: "/bin" } }).warnings).toEqual([]);
});
