import { expect, test } from "vitest";
import { agentProblems } from "../../src/channel-config.ts";
import { applyStored, skippedLine } from "../../src/config/stored/apply-stored.ts";
import { EffectiveSettings } from "../../src/config/stored/effective-settings.ts";
import { approvalRulesOf } from "../../src/config/stored/live.ts";
import type { Plain } from "../../src/config/stored/plain.ts";
import { settingsNodes } from "../../src/config/stored/settings-nodes.ts";
import type { Config } from "../../src/config.ts";
import { type Given, load } from "../support/program/config-sources.ts";

/** Settings from the page, stored as a revision in the database, which the environment and the file override. */

const fit = (given: Given, content: unknown) => {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return applyStored(text, load(given).origin, agentProblems);
};

interface Precedence {
  readonly name: string;
  readonly given: Given;
  readonly page: Plain;
  readonly key: (config: Config) => unknown;
  readonly value: unknown;
}

const KEY = { ANTHROPIC_API_KEY: "k" };

const order: Precedence[] = [
  {
    name: "the page wins over the default",
    given: {},
    page: { maxTurns: 7 },
    key: ({ query }) => query.maxTurns,
    value: 7,
  },
  {
    name: "the file wins over the page",
    given: { file: { maxTurns: 5 } },
    page: { maxTurns: 7 },
    key: ({ query }) => query.maxTurns,
    value: 5,
  },
  {
    name: "the environment wins over the page",
    given: { env: { DECKHAND_MODEL: "openai/gpt-6-sol" } },
    page: { model: "anthropic/claude-opus-5-5" },
    key: ({ query }) => query.model,
    value: "openai/gpt-6-sol",
  },
  {
    name: "objects are laid over each other key by key",
    given: { file: { budgets: { dayUsd: 5 } } },
    page: { budgets: { dayUsd: 50, runUsd: 1 } },
    key: ({ budgets, query }) => [budgets, query.maxBudgetUsd],
    value: [{ dayUsd: 5, runUsd: 1 }, 1],
  },
  {
    name: "a channel of the file takes further settings from the page",
    given: { file: { channels: { "slack:C1": { directory: "/srv/c1", maxTurns: 3 } } } },
    page: { channels: { "slack:C1": { maxTurns: 9, outputStyle: "concise" }, "slack:C2": { maxTurns: 2 } } },
    key: ({ channels }) => channels,
    value: {
      "slack:C1": { directory: "/srv/c1", maxTurns: 3, outputStyle: "concise" },
      "slack:C2": { maxTurns: 2 },
    },
  },
  {
    name: "a list is one layer's as a whole",
    given: { file: { blockedUrls: ["a.example"] } },
    page: { blockedUrls: ["b.example"], guardedFiles: ["deploy"] },
    key: ({ blockedUrls, guardedFiles }) => [blockedUrls, guardedFiles],
    value: [["a.example"], ["deploy"]],
  },
  {
    name: "what the file switches off stays off",
    given: { file: { memory: false } },
    page: { memory: { learn: true } },
    key: ({ features }) => features.find(({ name }) => name === "memory")?.open,
    value: undefined,
  },
];

test.each(order)("$name", ({ given, page, key, value }) => {
  const { config, skipped } = fit({ ...given, env: { ...KEY, ...given.env } }, page);
  expect(key(config)).toEqual(value);
  expect(skipped).toEqual([]);
});

interface Broken {
  readonly name: string;
  /** The stored settings, or their text. */
  readonly page: Plain | string;
  readonly line: string;
}

const broken: Broken[] = [
  {
    name: "a value that is none",
    page: { budgets: { dayUsd: -1 } },
    line: "budgets.dayUsd: must be more than 0, but is -1",
  },
  { name: "a key that is not known", page: { budgets: { yearUsd: 1 } }, line: "budgets.yearUsd: is not a known key" },
  { name: "a key of no version", page: { nonsense: 1 }, line: "nonsense: is not a known key" },
  {
    name: "what belongs to a missing value",
    page: { memory: { embeddings: { perDay: 5 } } },
    line: "memory.embeddings: ",
  },
  {
    name: "an agent that is not there",
    page: { agentDefinition: "nobody" },
    line: 'agentDefinition: agentDefinition: there is no agent "nobody"',
  },
  {
    name: "a channel's agent that is not there",
    page: { channels: { "slack:C1": { agentDefinition: "nobody" } } },
    line: "channels.slack:C1.agentDefinition: ",
  },
  {
    name: "an agent's whole definition",
    page: { agentDefinition: { name: "x" } },
    line: "agentDefinition.name: Only the name of an agent",
  },
  {
    name: "a directory of the machine",
    page: { channels: { "slack:C1": { directory: "/" } } },
    line: "channels.slack:C1.directory: It gives tools access",
  },
  {
    name: "a provider",
    page: { providers: { openai: { baseUrl: "http://evil.example" } } },
    line: "providers.openai.baseUrl: It contains a key",
  },
  {
    name: "a server's command",
    page: { mcpServers: { x: { command: "sh" } } },
    line: "mcpServers.x.command: Servers are programs",
  },
  {
    name: "VS Code's servers",
    page: { mcp: { servers: { x: { command: "sh" } } } },
    line: "mcp.servers.x.command: Servers are",
  },
  { name: "who gets in", page: { login: { passwords: false } }, line: "login.passwords: It could lock" },
  {
    name: "a name that every object has",
    page: { constructor: { prototype: 1 } },
    line: "constructor: is not a known key",
  },
  { name: "what is no JSON", page: "{", line: "The stored settings cannot be read." },
  { name: "what is no object", page: "[]", line: "The stored settings cannot be read." },
];

test.each(broken)("$name is left out and said, and the rest is in force", ({ page, line }) => {
  const others = typeof page === "string" ? page : { maxTurns: 7, ...page };
  const { config, skipped } = fit({}, others);
  expect(skipped.map(skippedLine)).toEqual([expect.stringContaining(line)]);
  expect(config.query.maxTurns).toBe(typeof page === "string" ? 50 : 7);
});

test("one agent that is not there takes no other with it", () => {
  const channels = { "slack:C1": { agentDefinition: "nobody" }, "slack:C2": { agentDefinition: "plan" } };
  const { config, skipped } = fit({}, { agentDefinition: "nowhere", channels });
  expect(skipped.map(({ path }) => path)).toEqual([["agentDefinition"], ["channels", "slack:C1", "agentDefinition"]]);
  expect(config.query.agentDefinition).toBe("build");
  expect(config.channels["slack:C2"]?.agentDefinition).toBe("plan");
});

test("what is wrong with the file alone takes nothing from the page", () => {
  const { config, skipped } = fit({ file: { agentDefinition: "nobody" } }, { maxTurns: 7 });
  expect(skipped).toEqual([]);
  expect(config.query.maxTurns).toBe(7);
});

test("every key of the settings file is known to be the page's or the file's", () => {
  const nodes = settingsNodes(load({}).origin.features);
  const isFiles = (key: string) => nodes.fileOnlyReason([key]) !== null;
  expect(nodes.keys.filter(isFiles).sort()).toEqual([
    "confinement",
    "console",
    "inputs",
    "login",
    "maxBudgetUsd",
    "mcpServers",
    "oidc",
    "providerRegistry",
    "providers",
    "servers",
    "sites",
    "web",
    "webSearch",
  ]);
  expect(nodes.keys.filter((key) => !isFiles(key)).sort()).toEqual([
    "access",
    "agentDefinition",
    "agents",
    "allowedHosts",
    "appendSystemPrompt",
    "approvals",
    "blockedUrls",
    "budgets",
    "channels",
    "contextWindow",
    "effortLevel",
    "fallbackModel",
    "fastModel",
    "guardedFiles",
    "instructions",
    "jobs",
    "logContext",
    "managedAgents",
    "maxConcurrentRuns",
    "maxTokens",
    "maxTurns",
    "memory",
    "mode",
    "model",
    "outputStyle",
    "outputStylePrompt",
    "quotas",
    "reactions",
    "retention",
    "systemPrompt",
    "temperature",
    "thinkingBudget",
    "toolAllow",
    "toolResultBudget",
    "workingDirectory",
  ]);
});

function begun(given: Given, page: Plain | null): EffectiveSettings {
  const settings = new EffectiveSettings(load(given), agentProblems);
  settings.begin({ content: page === null ? null : JSON.stringify(page) });
  return settings;
}

test("what holds at once holds for whoever has a part of the configuration already", () => {
  const settings = begun({ file: { channels: { "slack:C1": { directory: "/srv/c1" } } } }, null);
  const { budgets, access, approvals, allowedHosts, blockedUrls, channels, query } = settings.config;
  const { admins } = access;
  const rules = approvalRulesOf(settings.config);
  const set = {
    budgets: { dayUsd: 9 },
    access: { admins: ["slack:U1"], allow: ["slack:U2"] },
    approvals: { requester: false },
    allowedHosts: ["example.com", { host: "api.example.com", send: "files" }],
    blockedUrls: ["example.com/admin"],
    channels: {
      "slack:C1": { maxTurns: 2, agentDefinition: "plan" },
      "slack:C2": { mode: "read", workingDirectory: "x" },
    },
    model: "anthropic/claude-opus-5-5",
    instructions: "trust",
    agentDefinition: "plan",
    jobs: { logDays: 5 },
  };
  settings.apply({ content: JSON.stringify(set) });
  expect(settings.skipped).toEqual([]);
  expect(budgets).toEqual({ dayUsd: 9 });
  expect(admins).toEqual(["slack:U1"]);
  expect(access.allow).toEqual(["slack:U2"]);
  expect(approvals.requester).toBe(false);
  expect({ ...rules }).toEqual({ approvers: [], requester: false, expiresMinutes: 60, admins: ["slack:U1"] });
  expect(allowedHosts).toEqual(["example.com", "api.example.com"]);
  expect(settings.config.sinks).toEqual([{ host: "api.example.com", send: "files" }]);
  expect(blockedUrls).toEqual(["example.com/admin"]);
  expect(query.model).toBe("anthropic/claude-opus-5-5");
  expect(settings.config.instructions).toBe("trust");
  expect(channels).toEqual({ "slack:C1": { directory: "/srv/c1", maxTurns: 2 }, "slack:C2": { mode: "read" } });

  expect(query.agentDefinition).toBe("build");
  expect(settings.config.jobs.logDays).toBe(90);
  expect(settings.awaitingRestart()).toEqual([
    ["jobs", "logDays"],
    ["agentDefinition"],
    ["channels", "slack:C1", "agentDefinition"],
    ["channels", "slack:C2", "workingDirectory"],
  ]);

  settings.apply({ content: null });
  expect([budgets, admins, allowedHosts, blockedUrls]).toEqual([{}, [], [], []]);
  expect(access).not.toHaveProperty("allow");
  expect(query.model).toBeNull();
  expect(settings.config).not.toHaveProperty("instructions");
  expect(channels).toMatchObject({ "slack:C1": { directory: "/srv/c1" } });
  expect(settings.awaitingRestart()).toEqual([]);
});

test("a restart is awaited for what differs, not for what says the default", () => {
  const settings = begun({}, { jobs: { logDays: 5 } });
  expect(settings.config.jobs.logDays).toBe(5);
  settings.apply({ content: JSON.stringify({ jobs: { logDays: 5 }, maxConcurrentRuns: 32 }) });
  expect(settings.awaitingRestart()).toEqual([]);
  settings.apply({ content: null });
  expect(settings.awaitingRestart()).toEqual([["jobs", "logDays"]]);
});
