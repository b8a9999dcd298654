import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Agents, loadAgents } from "../src/agents.ts";
import { createChannelConfigs } from "../src/channel-config.ts";
import { ineffectiveSettings } from "../src/config/ineffective-settings.ts";
import { loadConfig } from "../src/config.ts";
import { signedName } from "../src/core/agents/definitions.ts";
import type { Permission } from "../src/core/agents/query-config.ts";
import { offeredTools } from "../src/core/permissions/tool-access.ts";
import { FEATURES } from "../src/features/features.ts";
import { shippedAgents } from "./support/shipped-agents.ts";
import { tempDirectory } from "./support/temp-directory.ts";

interface Given {
  /** Files of the home's extensions/agents. */
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: object;
}

function configured({ files = {}, settings = {} }: Given) {
  const cwd = tempDirectory();
  const folder = path.join(cwd, "data/extensions/agents");
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  writeFileSync(path.join(cwd, "deckhand.config.json"), JSON.stringify(settings));
  return { config: loadConfig({ env: {}, cwd }, FEATURES), folder };
}

test("what the page sets stands in place of what is shipped, and what the operator's files and settings say over it", () => {
  const { byName, definitions } = load({
    files: { "plan.md": "---\nmaxTurns: 7\n---\n" },
    settings: { agents: { reviewer: { color: "red" } } },
  });
  const before = byName;
  definitions.set(
    new Map([
      ["explore", "---\ndescription: Looks about.\naccess: full\n---\nLook about."],
      ["plan", "---\ndescription: Plans.\nmaxTurns: 99\n---\nPlan it."],
      ["scribe", "---\ndescription: Writes.\n---\nWrite."],
      ["broken", "---\nacces: read-only\n---\nx"],
    ]),
  );
  // The file replaces the shipped agent completely.
  expect(before.get("explore")).toEqual({
    name: "explore",
    description: "Looks about.",
    access: "full",
    visible: true,
    prompt: "Look about.",
  });
  expect(before.get("plan")).toMatchObject({ description: "Plans.", maxTurns: 7, prompt: "Plan it." });
  expect(before.get("scribe")).toMatchObject({ description: "Writes.", access: "full" });
  expect(before.has("broken")).toBe(false);
  const shown = new Map(definitions.all().map((definition) => [definition.name, definition]));
  expect(shown.get("plan")?.own).toEqual({
    place: expect.stringMatching(/data\/extensions\/agents\/plan\.md$/u),
    text: "---\nmaxTurns: 7\n---\n",
  });
  expect(shown.get("reviewer")?.own?.place).toBe("agents.reviewer of deckhand.config.json");
  expect(shown.get("scribe")).toMatchObject({ shipped: null, own: null });
  expect(shown.get("explore")?.shipped).toContain("access: search-only");
  expect(definitions.check("x", "---\ndescription: x\nacces: full\n---\n").problems).toEqual([
    { line: 3, message: expect.stringContaining('acces: is not a known key. Did you mean "access"?') },
  ]);

  definitions.set(new Map());
  expect(before.get("explore")).toEqual(shippedAgents.get("explore"));
  expect(before.has("scribe")).toBe(false);
});

function load(given: Given): Agents & { folder: string } {
  const { config, folder } = configured(given);
  return { ...loadAgents(config), folder };
}

test("the shipped agents have the access and limits that people are told of", () => {
  const facts = [...shippedAgents.values()].map(({ name, access, maxTurns, visible }) => [
    name,
    access,
    maxTurns,
    visible,
  ]);
  expect(facts).toEqual([
    ["build", "full", undefined, true],
    ["explore", "search-only", 15, true],
    ["explorer", "search-only", 15, false],
    ["plan", "read-only", 20, true],
    ["researcher", "read-only", 20, false],
    ["reviewer", "full", 20, false],
  ]);
  for (const { prompt, description } of shippedAgents.values()) expect([prompt, description]).not.toContain("");
});

test("the settings win over the home's file, and that over the application's, field by field", () => {
  const { byName, problems } = load({
    files: { "plan.md": "---\nmodel: openai/gpt-6-sol\nmaxTurns: 7\ncolor: red\n---\n" },
    settings: { agents: { plan: { maxTurns: 9 } } },
  });
  expect(problems).toEqual([]);
  expect(byName.get("plan")).toEqual({
    ...shippedAgents.get("plan"),
    model: "openai/gpt-6-sol",
    maxTurns: 9,
    color: "red",
  });
});

test("a file makes a new agent: its name is the file's, its prompt the body", () => {
  const { byName } = load({
    files: {
      "auditor.md": "---\nname: auditor\ndescription: Audits\naccess: read-only\ntemperature: 0.2\n---\n\nYou audit.\n",
    },
  });
  expect(byName.get("auditor")).toEqual({
    name: "auditor",
    description: "Audits",
    access: "read-only",
    temperature: 0.2,
    prompt: "You audit.",
    visible: true,
  });
});

const broken: readonly { name: string; file: string; content: string; problem: string }[] = [
  {
    name: "no front matter",
    file: "bad.md",
    content: "You are bad.",
    problem: ":1: the file must begin with front matter: YAML between two lines of three dashes.",
  },
  {
    name: "YAML that is none",
    file: "bad.md",
    content: "---\ndescription: fine\naccess: [full\n---\nx",
    problem: ":4: ",
  },
  {
    name: "a key that is not known, since it may be what limits the agent",
    file: "bad.md",
    content: "---\ndescription: fine\nacess: read-only\n---\nx",
    problem: ':3: acess: is not a known key. Did you mean "access"?',
  },
  {
    name: "a value of the wrong kind",
    file: "bad.md",
    content: "---\ndescription: fine\nmaxTurns: many\n---\nx",
    problem: ':3: maxTurns: must be a whole number, but is "many". Example: maxTurns: 20',
  },
  {
    name: "a key that limits agents of other programs, and has another name here",
    file: "bad.md",
    content: "---\ndescription: fine\ndenyTools: Bash\n---\nx",
    problem: ":3: denyTools: is not a known key.",
  },
  {
    name: "a name that nobody could type",
    file: "Bad Agent.md",
    content: "---\ndescription: fine\n---\nx",
    problem: ":1: agent names consist of lower-case letters, digits and hyphens; rename the file.",
  },
];

test.each(broken)("a file with $name is reported with its line; the others load", ({ file, content, problem }) => {
  const good = "---\ndescription: good\n---\nYou are good.";
  const { byName, problems, folder } = load({ files: { [file]: content, "good.md": good } });
  expect(problems).toHaveLength(1);
  expect(problems[0]?.startsWith(path.join(folder, file) + problem)).toBe(true);
  expect([byName.has("good"), byName.has(path.basename(file, ".md"))]).toEqual([true, false]);
});

test("an agent's tools narrow those of its channel", () => {
  const agents = { scout: { tools: ["read", "bash"] } };
  const { config } = configured({ settings: { agents, toolAllow: ["read", "grep"], channels: { "web:C2": {} } } });
  const { configOf } = createChannelConfigs(config, () => "demo/scripted");
  const allowed = (agent: string) => configOf({ channelKey: "web:C2", agent, settings: {} }).toolAllow;
  expect([allowed("scout"), allowed("build")]).toEqual([["read"], ["read", "grep"]]);
});

test("agents are found in folders, too, and by the names of Copilot's files", () => {
  const file = (description: string) => `---\ndescription: ${description}\n---\nx`;
  const { byName, problems, notes, definitions, folder } = load({
    files: {
      "design/whimsy.md": file("whimsical"),
      "design/README.md": "# Design",
      "tester.agent.md": file("tests"),
      "a/tester.md": file("other"),
    },
  });
  expect([byName.get("whimsy")?.description, byName.get("tester")?.description]).toEqual(["whimsical", "tests"]);
  expect(problems).toEqual([]);
  const [first, second] = [path.join(folder, "a/tester.md"), path.join(folder, "tester.agent.md")];
  expect(notes).toEqual([`${second}:1: this replaces ${first}; rename one of them.`]);
  expect(definitions.all().find(({ name }) => name === "tester")?.own?.place).toBe(second);
});

test("a mounted folder holds each agent once, a collection's own hidden files hold none, and a link leads to a folder", () => {
  const { config, folder } = configured({
    files: {
      "..2026_11_29/tidy.md": "---\ndescription: Tidies.\n---\nTidy.",
      "team/.github/pull_request_template.md": "## What changes",
    },
  });
  // As Kubernetes mounts a ConfigMap.
  symlinkSync("..2026_11_29", path.join(folder, "..data"));
  symlinkSync("..data/tidy.md", path.join(folder, "tidy.md"));
  const elsewhere = tempDirectory();
  writeFileSync(path.join(elsewhere, "scribe.md"), "---\ndescription: Writes.\n---\nWrite.");
  symlinkSync(elsewhere, path.join(folder, "ours"));
  symlinkSync("/dev/null", path.join(folder, "nothing"));
  symlinkSync("/dev/null", path.join(folder, "device.md"));
  const { byName, problems, notes } = loadAgents(config);
  expect([problems, notes]).toEqual([[`${folder}/device.md:1: is not a regular file.`], []]);
  expect([...byName.keys()]).toEqual(expect.arrayContaining(["tidy", "scribe"]));
});

test("a README.md beside the agents is none", () => {
  const { byName, problems } = load({ files: { "README.md": "# About these" } });
  expect([problems, byName.has("README")]).toEqual([[], false]);
});

test("lists have an agent's sign before its name", () => {
  const { byName } = load({
    files: { "plan.md": "---\ncolor: red\n---\n", "plain.md": "---\ndescription: x\n---\nx" },
  });
  const named = (name: string) => signedName(byName.get(name) ?? { name: "nobody" });
  expect(["build", "plan", "plain"].map(named)).toEqual(["🟢 **build**", "🔴 **plan**", "**plain**"]);
});

const EVERY_TOOL = (["none", "read", "write", "execute"] as const).map((permission: Permission) => ({
  name: permission === "read" ? "grep" : `tool_${permission}`,
  permission,
}));

test.each([
  [
    "a file",
    { files: { "odd.md": "---\naccess: everything\n---\nx" } },
    /odd\.md:2: access: "everything" is not an access role/,
  ],
  [
    "the settings",
    { settings: { agents: { odd: { access: "everything" } } } },
    /^agents\.odd\.access: "everything" is no/,
  ],
])("an access role that is not known, from %s, is reported and allows no tool", (_from, given, problem) => {
  const { byName, problems } = load(given);
  expect(problems).toEqual([expect.stringMatching(problem)]);
  const role = byName.get("odd")?.access ?? "";
  expect(offeredTools(EVERY_TOOL, { agentName: "odd", role, mode: "agi" })).toEqual([]);
});

test("tools work in the working directory of a channel's root, which no link leads out of", () => {
  const channels = { "slack:C1": { directory: "checkout", workingDirectory: "service" } };
  const { config } = configured({ settings: { workingDirectory: "all", channels } });
  const root = path.join(config.sandbox, "../../checkout");
  const rootOf = (channelId: string) =>
    createChannelConfigs(config, () => "demo/scripted").sandboxRootOf({
      platform: "slack",
      workspaceId: "T1",
      channelId,
      threadId: null,
    });
  expect(rootOf("C2")).toBe(path.join(config.sandbox, "slack-C2/all"));
  expect(rootOf("C1")).toBe(path.join(root, "service"));
  mkdirSync(root, { recursive: true });
  symlinkSync("/etc", path.join(root, "service"));
  expect(() => rootOf("C1")).toThrow(/workingDirectory: service is outside/u);
});

test.each([
  { workingDirectory: undefined, directories: [] },
  { workingDirectory: "./", directories: [] },
  { workingDirectory: "service", directories: [""] },
  { workingDirectory: "./packages//core/src/", directories: ["", "packages", "packages/core"] },
])("above the working directory $workingDirectory lie $directories", async ({ workingDirectory, directories }) => {
  const { config } = configured({ settings: workingDirectory === undefined ? {} : { workingDirectory } });
  const thread = { platform: "slack", workspaceId: "T1", channelId: "C1", threadId: "1" } as const;
  const session = { id: "ses_1", key: "k", thread, channelKey: "slack:C1", agent: "", people: [], settings: {} };
  const { above, sandboxRoot } = await createChannelConfigs(config, () => "demo/scripted").channelConfigOf(session);
  expect(above).toEqual({ root: path.join(config.sandbox, "slack-C1"), directories });
  expect(sandboxRoot).toBe(path.join(config.sandbox, "slack-C1", workingDirectory ?? ""));
});

const MODEL = "anthropic/claude-sonnet-5-5";

test.each([
  ["nothing", {}, { mode: "write", model: MODEL, thinkingBudget: 5_000, contextWindow: 90_000 }],
  ["a mode", { mode: "read" }, { mode: "read", model: MODEL, thinkingBudget: 5_000, contextWindow: 90_000 }],
  [
    "a model, for which the configured window does not hold",
    { model: "openai/gpt-6-sol" },
    { mode: "write", model: "openai/gpt-6-sol", thinkingBudget: 5_000, contextWindow: undefined },
  ],
  [
    "an effort, which the configured thinking budget would override",
    { effort: "high" },
    { mode: "write", model: MODEL, effortLevel: "high", thinkingBudget: undefined, contextWindow: 90_000 },
  ],
] as const)("people have set %s for a session", (_what, settings, expected) => {
  const { config } = configured({ settings: { model: MODEL, thinkingBudget: 5_000, contextWindow: 90_000 } });
  const places = createChannelConfigs(config, () => "demo/scripted");
  const query = places.configOf({ channelKey: "slack:C1", agent: "build", settings });
  const { mode, model, effortLevel, thinkingBudget, contextWindow } = query;
  expect({ mode, model, effortLevel, thinkingBudget, contextWindow }).toEqual(expected);
});

test.each([
  ["an agent without any", "plain", { model: "openai/gpt-6-sol", temperature: 0.7 }],
  ["an agent with its own", "exact", { model: "anthropic/claude-haiku-5-5", temperature: 0.2 }],
])("the model and temperature of %s: its own, else the channel's, else the usual ones", (_what, agent, expected) => {
  const { config } = configured({
    files: {
      "plain.md": "---\ndescription: x\n---\nx",
      "exact.md": "---\ndescription: x\nmodel: anthropic/claude-haiku-5-5\ntemperature: 0.2\n---\nx",
    },
    settings: {
      model: MODEL,
      temperature: 1,
      channels: { "slack:C1": { model: "openai/gpt-6-sol", temperature: 0.7 } },
    },
  });
  const query = createChannelConfigs(config, () => "demo/scripted").configOf({
    channelKey: "slack:C1",
    agent,
    settings: {},
  });
  expect({ model: query.model, temperature: query.temperature }).toEqual(expected);
});

test("a quick model answers as agents that only look about, where one is set and they have none of their own", () => {
  const modelOf = (settings: object) => load({ settings }).byName.get("explorer")?.model;
  const fastModel = "anthropic/claude-haiku-5-5";
  expect(modelOf({})).toBeUndefined();
  expect(modelOf({ fastModel })).toBe(fastModel);
  expect(modelOf({ fastModel, agents: { explorer: { model: "openai/gpt-6-luna" } } })).toBe("openai/gpt-6-luna");
  expect(load({ settings: { fastModel } }).byName.get("researcher")?.model).toBeUndefined();
});

test("a temperature that the model does not take is named, with the setting it stands in", () => {
  const { config } = configured({
    settings: {
      temperature: 0.2,
      channels: {
        "slack:C1": { temperature: 0.4, model: "anthropic/claude-haiku-4-5" },
        "slack:C2": { temperature: 0.4 },
      },
      agents: { audit: { description: "Audits", prompt: "Audit.", temperature: 0, model: "openai/gpt-6.1-sol" } },
    },
  });
  const lines = (usual: string) => ineffectiveSettings(config, loadAgents(config).byName, usual);
  expect(lines("anthropic/claude-sonnet-5-5")).toEqual([
    "temperature: has no effect, because anthropic/claude-sonnet-5-5 does not accept a temperature. Remove it, or choose another model.",
    "channels.slack:C2.temperature: has no effect, because anthropic/claude-sonnet-5-5 does not accept a temperature. Remove it, or choose another model.",
    "agents.audit.temperature: has no effect, because openai/gpt-6.1-sol does not accept a temperature. Remove it, or choose another model.",
  ]);
  expect(lines("mistral/mistral-large-latest")).toHaveLength(1);
});
