import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { listenersOf } from "../../src/config/ports.ts";
import { type Config, loadConfig } from "../../src/config.ts";
import { FEATURES } from "../../src/features/features.ts";
import { mcpSettings } from "../../src/features/mcp/feature.ts";
import { webSearchSettings } from "../../src/features/web-search/feature.ts";
import { directoryWith, type Given, load, problemsOf } from "../support/program/config-sources.ts";

test("an empty environment gives the documented defaults", () => {
  const cwd = directoryWith({});
  expect(loadConfig({ env: {}, cwd }, FEATURES)).toEqual({
    slack: null,
    discord: null,
    proxy: null,
    web: { host: "127.0.0.1", port: 3000, url: null, trustProxy: [] },
    database: {
      kind: "sqlite",
      url: `file:${cwd}/data/deckhand.db`,
      directUrl: `file:${cwd}/data/deckhand.db`,
    },
    engine: "embedded",
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
    jobs: { logDays: 90 },
    allowedHosts: [],
    sinks: [],
    blockedUrls: [],
    guardedFiles: [],
    confinement: "auto",
    budgets: {},
    agents: {},
    features: expect.any(Array),
    maxConcurrentRuns: 32,
    quotas: { rootMb: 2_000, userMb: 1_000, channelMb: 2_000 },
    channels: {},
    providers: {},
    providerRegions: {},
    reactions: { slack: ["robot_face"], discord: ["🤖"] },
    warnings: [],
    origin: { layers: expect.anything(), features: FEATURES },
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
    name: "a region comes from the environment, too",
    given: { env: { AWS_BEARER_TOKEN_BEDROCK: "b-key", AWS_REGION: "eu-central-1" } },
    key: (config) => config.providers,
    value: { bedrock: { apiKey: "b-key", region: "eu-central-1" } },
  },
  {
    name: "a region alone is no provider",
    given: { env: { AWS_REGION: "aws-global" } },
    key: (config) => config.providers,
    value: {},
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
  const config = loadConfig(
    { env: { DECKHAND_CONFIG: path.join(cwd, "deckhand.config.json") }, cwd: tmpdir() },
    FEATURES,
  );
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
    guardedFiles: ["deploy", "infra/*.tf", "charts/"],
    budgets: { dayUsd: 5 },
    agents: { build: { model: "demo/scripted" } },
    channels: { "slack:C1": { model: "demo/scripted", requireMention: true } },
    mcpServers: { docs: { url: "https://mcp.example.com/" }, local: { command: "npx", args: ["x"] } },
    providers: { vllm: { models: { m: { contextWindow: 10, price: { input: 0, output: 0 } } } } },
    maxConcurrentRuns: 1,
  };
  expect(problemsOf({ file })).toEqual([]);
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
    warning: 'DECKHAND_MODLE: is not a known setting and is ignored. Did you mean "DECKHAND_MODEL"?',
  },
  {
    name: "a variable with our name before its own",
    env: { DECKHAND_LOG_LEVEL: "debug" },
    warning: 'DECKHAND_LOG_LEVEL: is not a known setting and is ignored. Did you mean "LOG_LEVEL"?',
  },
];

test.each([
  { env: { SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xapp-2" }, example: "slack:U…" },
  { env: { DISCORD_TOKEN: "d" }, example: "discord:<id>" },
])("without admins, some are asked for where people are many: $example", ({ env, example }) => {
  const line = `access.admins: there are no admins. Add \`"access": { "admins": ["${example}"] }\` to the settings file.`;
  expect(load({ env }).warnings).toEqual([line]);
  expect(load({ env, file: { access: { admins: ["slack:U1"] } } }).warnings).toEqual([]);
});

test.each(warned)("$name is warned about", ({ env, warning }) => {
  expect(load({ env, file: { access: { admins: ["slack:U1"] } } }).warnings).toEqual([warning]);
});

test("other programs' variables are left alone", () => {
  expect(load({ env: { SLACK_WEBHOOK_CHANNEL_FOR_DEPLOYS: "x" } }).warnings).toEqual([]);
});

test("in .env, what begins as a variable of ours and is none is warned about; what servers get, and the rest, is not", () => {
  const dotenv = "SLACK_TOKEN=xoxb-1\nOPENAI_KEY=k\nAWS_ACCESS_KEY_ID=a\nOPENAI_ORGANISATION=o\nPOSTGRES_PASSWORD=p\n";
  const server = { url: "https://mcp.example.com/mcp", headers: { Organisation: "${OPENAI_ORGANISATION}" } };
  expect(load({ dotenv, file: { mcpServers: { docs: server } } }).warnings).toEqual([
    "AWS_ACCESS_KEY_ID: is not a known setting and is ignored.",
    "OPENAI_KEY: is not a known setting and is ignored.",
    "SLACK_TOKEN: is not a known setting and is ignored.",
  ]);
});

test("a search service without its key or address is a problem that names the variable", () => {
  expect(() => load({ file: { webSearch: { service: "brave" } } })).toThrow(
    /webSearch: brave needs a key. Set BRAVE_API_KEY/,
  );
  expect(() => load({ file: { webSearch: { service: "searxng" } } })).toThrow(/SEARXNG_BASE_URL/);
  const given = { file: { webSearch: { service: "tavily" } }, environment: { TAVILY_API_KEY: "tvly-1" } };
  expect(webSearchSettings(given)).toEqual({ service: "tavily", apiKey: "tvly-1" });
});

test("an MCP server gets the variables that its settings name, and a missing one is a mistake of that server", () => {
  const server = { url: "https://mcp.example.com/mcp", headers: { Authorization: "Bearer ${MCP_TOKEN}" } };
  const file = { mcpServers: { docs: server } };
  const why = "headers.Authorization refers to MCP_TOKEN, which is not set.";
  expect(mcpSettings({ file, environment: {} }).mcp.idle).toEqual([{ name: "docs", why, isMistake: true }]);
  const { mcp } = mcpSettings({ file, environment: { MCP_TOKEN: "t-1" } });
  expect(mcp.servers["docs"]).toMatchObject({ headers: { Authorization: "Bearer t-1" } });
});

test("hosts that data may go to are read from as well", () => {
  const sink = { host: "api.example.com", send: "files" };
  const { allowedHosts, sinks } = load({ file: { allowedHosts: ["docs.example.com/guide", sink] } });
  expect(allowedHosts).toEqual(["docs.example.com/guide", "api.example.com"]);
  expect(sinks).toEqual([sink]);
});

test.each<[string, object, RegExp]>([
  ["no host", { allowedHosts: [{ host: "https://example.com", send: "files" }] }, /allowedHosts/u],
  ["every host", { allowedHosts: [{ host: "*", send: "files" }] }, /allowedHosts/u],
  ["everything", { allowedHosts: [{ host: "example.com", send: "secrets" }] }, /allowedHosts/u],
  ["a query", { allowedHosts: ["example.com/a?b=1"] }, /allowedHosts/u],
])("allowedHosts refuses %s", (...[, file, problem]) => {
  expect(problemsOf({ file }).join("\n")).toMatch(problem);
});

test.each([["/etc"], ["../x"], ["a/../b"], ["**/*.tf"], ["*"], ["."], [""]])("guardedFiles refuses %j", (pattern) => {
  expect(problemsOf({ file: { guardedFiles: [pattern] } })).toEqual([expect.stringMatching(/guardedFiles/u)]);
});

test.each<[string, object, RegExp | null]>([
  ["nobody is asked and every host is read", { mode: "agi", allowedHosts: ["*"] }, /nobody is asked for anything/u],
  ["everybody is served", { access: { guests: true, external: true } }, /whoever they are/u],
  [
    "files may go anywhere beneath",
    { allowedHosts: [{ host: "*.example.com", send: "files" }] },
    /files can be sent to any/u,
  ],
  ["nobody is asked for changes", { mode: "agi" }, /^mode: in mode agi, nobody is asked before/u],
  ["or in a channel", { channels: { "slack:C1": { mode: "agi" } } }, /^channels\.slack:C1\.mode: in mode agi, nobody/u],
  ["every host is read", { allowedHosts: ["*"] }, /every public host can be read without asking/u],
  ["nothing is confined", { confinement: "off" }, /^confinement: is off/u],
  [
    "everybody decides",
    { access: { workspaces: ["discord:1"] }, approvals: { approvers: ["discord:role:1"] } },
    /^approvals\.approvers: discord:role:1 is everybody/u,
  ],
  [
    "everybody is an admin",
    { access: { workspaces: ["discord:1"], admins: ["discord:role:1"] } },
    /^access\.admins: discord:role:1 is everybody/u,
  ],
  ["guests alone are served", { access: { guests: true }, approvals: { approvers: ["discord:role:1"] } }, null],
])("a settings file that opens much is named: %s", (...[, file, warning]) => {
  const { warnings } = load({ file });
  if (warning === null) expect(warnings).toEqual([]);
  else expect(warnings.join("\n")).toMatch(warning);
});

test("an IPv6 address to listen on may be written as in a URL", () => {
  const config = load({ env: { HOST: "[::1]" }, file: { sites: { host: "[::1]" } } });
  expect(listenersOf(config).map(({ host }) => host)).toEqual(["::1", "::1"]);
});

const PAGE = "https://deckhand.example.com";

test.each([
  [{}, {}, []],
  [{ HOST: "::1" }, {}, []],
  [{ HOST: "0.0.0.0" }, {}, [/^HOST, web\.url: passwords are sent over the network unencrypted/u]],
  [{}, { web: { url: PAGE } }, [/^web\.trustProxy: the proxy's address is not set/u]],
  [{}, { web: { url: PAGE, trustProxy: ["127.0.0.1", "10.0.0.0/8", "fd00::/8"] } }, []],
])("a page beyond loopback, %o with %o, is warned of where it is open", (env, file, warnings) => {
  expect(load({ env, file }).warnings).toEqual(warnings.map((line) => expect.stringMatching(line)));
});

test.each([
  [{ url: "https://deckhand.example.com/page" }, "web.url: must have a host and no path"],
  [{ url: "ftp://deckhand.example.com" }, "web.url: must be an http:// or https:// URL"],
  [{ trustProxy: ["10.0.0.0/33"] }, "must be an address or a network"],
  [{ trustProxy: ["proxy.example.com"] }, "must be an address or a network"],
])("the page's address %o is refused", (web, words) => {
  expect(problemsOf({ file: { web } }).join("\n")).toContain(words);
});
