import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { loadAgents } from "../../../src/agents.ts";
import { loadConfig } from "../../../src/config.ts";
import { FEATURES } from "../../../src/features/features.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

/** Loads the agents of a home that has this file. */
function load(content: string) {
  const cwd = tempDirectory();
  const folder = path.join(cwd, "data/extensions/agents");
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "scout.md"), content);
  return loadAgents(loadConfig({ env: {}, cwd }, FEATURES));
}

const EXAMPLES = `Use it to look. Examples:\n\n<example>\nContext: A change\nuser: "Look: now"\nassistant: "I look"\n</example>`;
const NO_TOOL = "tools: Deckhand has no tool named TaskList.";
const MODEL_NOTE = "sonnet names no provider, so the configured model is used; write provider/model to choose another.";

test.each([
  ["a list of tools as one text", "tools: Read, Grep, Bash(git add:*)", { tools: ["read", "grep", "git"], notes: [] }],
  ["a list of tools, one of which is none", "tools: [Read, TaskList]", { tools: ["read"], notes: [NO_TOOL] }],
  ["no tool that is one here", "tools: TaskList", { tools: [], notes: [NO_TOOL] }],
  ["all tools", 'tools: "*"', { notes: [] }],
  ["all tools, as YAML has them not", "tools: *", { notes: [] }],
  [
    "tools by Copilot's names",
    "tools: ['search/codebase', 'edit/editFiles', 'githubRepo', 'vscodeAPI']",
    { tools: ["grep", "glob", "edit", "write"], notes: ["tools: Deckhand has no tool named githubRepo, vscodeAPI."] },
  ],
  ["tools by another key", "allowed-tools: [Read, Grep]", { tools: ["read", "grep"], notes: [] }],
  ["tools by yet another key", "allowedTools: [read, shell]", { tools: ["read", "bash"], notes: [] }],
  [
    "tools, and which of them do not ask",
    "tools: [read, shell]\nallowedTools: [read]",
    { tools: ["read", "bash"], notes: ["allowedTools: has no effect here."] },
  ],
  // A form that Claude Code documents.
  ["tools that are taken from it", "disallowedTools: Write, Edit", { disallowedTools: ["write", "edit"], notes: [] }],
  [
    "tools of which a part is meant",
    "tools: Bash(npm test:*), Bash(git log:*), Agent(worker, scout), Read(*)",
    {
      tools: ["bash", "git", "agent", "read"],
      notes: [
        "tools: patterns are not supported, so the agent gets the whole tool for Bash(npm test:*), Agent(worker, scout).",
      ],
    },
  ],
  [
    "all tools but some",
    'tools: ["*", "!Write", "!Bash(rm *)"]',
    { disallowedTools: ["write", "bash", "js_exec"], notes: [] },
  ],
  ["only what it has not", 'tools: ["!edit_file"]', { disallowedTools: ["edit"], notes: [] }],
  ["every tool taken from it", 'disallowedTools: "*"', { tools: [], notes: [] }],
  ["every tool taken from it in a list", 'tools: Read\ndisallowedTools: ["*"]', { tools: [], notes: [] }],
  ["no shell", "disallowedTools: [Bash, write]", { disallowedTools: ["bash", "js_exec", "write"], notes: [] }],
  ["no bash, as we call it", "disallowedTools: [bash]", { disallowedTools: ["bash"], notes: [] }],
  [
    "servers that are taken from it",
    "disallowedTools: mcp__github, mcp__linear__*, mcp__jira__create_*",
    { disallowedTools: ["mcp__github", "mcp_resources", "mcp__linear", "mcp__jira"], notes: [] },
  ],
  ["one tool of a server", "disallowedTools: mcp__jira__create", { disallowedTools: ["mcp__jira__create"], notes: [] }],
  ["no server's tools", "disallowedTools: mcp__*", { disallowedTools: ["mcp", "mcp_resources"], notes: [] }],
  // Forms that OpenCode documents.
  [
    "tools by switches",
    "tools:\n  write: false\n  edit: false\n  bash: true",
    { disallowedTools: ["write", "edit"], notes: [] },
  ],
  [
    "no tools but those that are switched on",
    'tools:\n  "*": false\n  webfetch: true\n  websearch: true',
    { tools: ["web_fetch", "web_search"], notes: [] },
  ],
  [
    "switches of a server's tools, and of what there is not",
    "tools:\n  write: false\n  exa_*: false\n  mcp_jira_*: false\n  my-server*: false\n  Vision: false",
    {
      disallowedTools: ["write", "mcp__exa", "mcp_resources", "mcp__jira", "mcp__my-server"],
      notes: ["tools: Deckhand has no tool named Vision."],
    },
  ],
  [
    "permissions",
    "permission:\n  read: allow\n  edit: deny\n  bash: ask\n  todowrite: deny\n  question: deny",
    {
      disallowedTools: ["edit", "write", "update_plan", "ask_user_question"],
      notes: ["permission: the thread's mode decides what needs approval, also for bash."],
    },
  ],
  [
    "permissions of single commands",
    'permission:\n  edit: deny\n  bash:\n    "*": allow\n    "git push*": deny',
    {
      disallowedTools: ["edit", "write", "bash", "js_exec"],
      notes: ["permission: patterns are not supported, so all of bash is disabled."],
    },
  ],
  [
    "all forbidden but what is named",
    'permission:\n  "*": deny\n  read: allow\n  grep: allow',
    { tools: ["read", "grep"], notes: [] },
  ],
  [
    "switches and permissions",
    "tools:\n  write: true\npermissions:\n  bash: deny\nsteps: 50",
    { disallowedTools: ["bash", "js_exec"], maxTurns: 50, notes: [] },
  ],
  [
    "two lists that forbid all else, and one that is plain",
    'tools: [read, grep, bash]\npermission:\n  "*": deny\n  read: allow\n  edit: allow',
    { tools: ["read"], notes: [] },
  ],
  ["one that only looks", "readOnly: true", { access: "read-only", notes: [] }],
  ["one for other agents", "user-invocable: false", { visible: false, notes: [] }],
  ["one that is hidden", "hidden: true", { visible: false, notes: [] }],
  ["one that people choose", "user-invocable: true\nhidden: false", { notes: [] }],
  [
    "several models",
    "model: [GPT-5 (copilot), opus]",
    { notes: [expect.stringMatching(/^model: GPT-5 \(copilot\) names/u)] },
  ],
  [
    "keys that mean nothing here",
    "emoji: x\nvibe: y\nservices: []",
    { notes: ["emoji: has no effect here; the same is true of vibe, services."] },
  ],
  ["the model of who calls", "model: inherit", { notes: [] }],
  ["a model of its own program", "model: sonnet", { notes: [`model: ${MODEL_NOTE}`] }],
  [
    "the quick model",
    "model: haiku",
    { fast: true, notes: [expect.stringMatching(/^model: haiku means `fastModel`/u)] },
  ],
  ["a mode that only looks", "permissionMode: plan", { access: "read-only", notes: [] }],
  [
    "keys by which a collection sorts it",
    "type: agent\nstatus: stable",
    { notes: ["type: has no effect here; the same is true of status."] },
  ],
  ["a key that means nothing here", "hooks: {}", { notes: ["hooks: has no effect here."] }],
  [
    "a list of what it is good at",
    "capabilities: [pricing]\nexpertise_level: expert",
    { notes: ["capabilities: has no effect here; the same is true of expertise_level."] },
  ],
  [
    "a colour that there is no sign of",
    "color: gold",
    { notes: [expect.stringMatching(/^color: gold is not one of red,/u)] },
  ],
  [
    "another name than the file's",
    "name: Code Scout",
    { notes: ["name: has no effect: the agent is named scout, after its file."] },
  ],
])("an agent's file of another program loads, with %s", (_what, line, { notes, ...fields }) => {
  const content = `---\n${line}\ndescription: Use it to look.\n---\nYou look.`;
  const { definitions, byName, problems, notes: told } = load(content);
  const description = "Use it to look.";
  expect(byName.get("scout")).toEqual({
    name: "scout",
    description,
    access: "full",
    visible: true,
    prompt: "You look.",
    ...fields,
  });
  expect([problems, told.length, definitions.check("scout", content)]).toEqual([
    [],
    notes.length,
    { problems: [], notes },
  ]);
});

test("a description of several lines that is no YAML is read to the next key, without its examples", () => {
  const content = `---\nname: scout\ndescription: ${EXAMPLES}\ntools: Read\nmodel: 7\n---\nx`;
  expect(load(content.replace("model: 7\n", "")).byName.get("scout")).toMatchObject({
    description: "Use it to look.",
    tools: ["read"],
  });
  // Line numbers are those of the file, which count each line of the description.
  expect(load(content).problems).toEqual([expect.stringMatching(/scout\.md:11: model: /u)]);
});
