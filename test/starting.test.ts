import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startApp } from "../src/app.ts";
import { startupErrorLines } from "../src/cli/startup-error.ts";
import { loadConfig } from "../src/config.ts";
import { ConfigError } from "../src/core/protocol/errors.ts";
import { FEATURES } from "../src/features/features.ts";
import { systemRuntime } from "../src/runtime.ts";
import { silentLog } from "./support/silent-log.ts";
import { startSlackServer } from "./support/slack/slack-server.ts";
import { tempDirectory } from "./support/temp-directory.ts";

const A_FILE = import.meta.filename;

/** What the program prints when it starts with this environment and is stopped at once. */
async function start(env: Readonly<Record<string, string>>, settings: object = {}): Promise<readonly string[]> {
  const said: string[] = [];
  const cwd = tempDirectory();
  writeFileSync(path.join(cwd, "deckhand.config.json"), JSON.stringify(settings));
  const config = loadConfig({ env: { PORT: "0", ...env }, cwd }, FEATURES);
  const app = await startApp({
    config,
    runtime: systemRuntime(),
    log: silentLog,
    secrets: [],
    say: (line) => said.push(line),
    signal: new AbortController().signal,
  });
  await app.stop();
  return said;
}

const refused: readonly { name: string; env: Record<string, string>; problem: RegExp }[] = [
  {
    name: "a home that is a file",
    env: { DECKHAND_HOME: A_FILE },
    problem: /^DECKHAND_HOME: .* cannot be written \(ENOTDIR\)\. Make it writable/,
  },
  {
    name: "a home beneath a file",
    env: { DECKHAND_HOME: path.join(A_FILE, "home") },
    problem: /^DECKHAND_HOME: .* cannot be written \(ENOTDIR\)/,
  },
  {
    name: "a home where the system lets nobody create anything",
    env: { DECKHAND_HOME: "/proc/deckhand" },
    problem: /^DECKHAND_HOME: \/proc\/deckhand cannot be written \((ENOENT|EACCES|EROFS)\)/,
  },
  {
    name: "sandbox roots that cannot be created",
    env: { DECKHAND_SANDBOX: path.join(A_FILE, "sandbox") },
    problem: /^DECKHAND_SANDBOX: .* cannot be written \(ENOTDIR\)/,
  },
  {
    name: "a PostgreSQL that is not there",
    env: { DATABASE_URL: "postgresql://u:hunter22@127.0.0.1:1/x" },
    problem: /^DATABASE_URL: cannot connect to PostgreSQL \(ECONNREFUSED\)/,
  },
  {
    name: "a database beneath a file",
    env: { DATABASE_URL: `file:${path.join(A_FILE, "x.db")}` },
    problem: /^DATABASE_URL: .* cannot be opened \(SQLITE_CANTOPEN\)\. Make the file, its directory .* writable/,
  },
  {
    name: "a database that is a directory",
    env: { DATABASE_URL: `file:${import.meta.dirname}` },
    problem: /^DATABASE_URL: .* cannot be opened \(EISDIR\)\. It is a directory\. Use a file in it/,
  },
  {
    name: "a database where the system lets nobody create a file",
    env: { DATABASE_URL: "file:/proc/deckhand.db" },
    problem: /^DATABASE_URL: \/proc\/deckhand\.db cannot be opened \(SQLITE_CANTOPEN\)\. Make the file, its directory/,
  },
  {
    name: "a database where the system lets nobody create a directory",
    env: { DATABASE_URL: "file:/proc/deckhand/deckhand.db" },
    problem: /^DATABASE_URL: \/proc\/deckhand\/deckhand\.db cannot be opened \((ENOENT|EACCES|EROFS)\)\. Make the file/,
  },
];

test.each(refused)("$name ends the start with one line that says how to mend it", async ({ env, problem }) => {
  const error = await start(env).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  if (!(error instanceof ConfigError)) return;
  expect(error.problems).toEqual([expect.stringMatching(problem)]);
  expect(error.problems.join()).not.toContain("hunter22");
});

test("a file that is no database is refused and stays as it is", async () => {
  const file = path.join(tempDirectory(), "notes.txt");
  writeFileSync(file, "These are my notes, and they are longer than the header of a database is.\n".repeat(20));
  await expect(start({ DATABASE_URL: `file:${file}` })).rejects.toThrow(
    /cannot be opened \(SQLITE_NOTADB\)\. It is not a SQLite database\. Use one/,
  );
});

test("a file that is too short for a database is refused, too", async () => {
  const file = path.join(tempDirectory(), "note.txt");
  writeFileSync(file, "hello");
  await expect(start({ DATABASE_URL: `file:${file}` })).rejects.toThrow(/cannot be opened \(SQLITE_NOTADB\)/);
});

test("a port that is taken is named", async () => {
  const server = createServer();
  onTestFinished(() => {
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";
  await expect(start({ PORT: port })).rejects.toThrow(`Port ${port} is in use. Set PORT to a free one.`);
});

test("a port for Slack's deliveries that is taken ends the program with one line that names its variable", async () => {
  await using slack = await startSlackServer();
  const server = createServer();
  onTestFinished(() => {
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";
  const { botToken, signingSecret, apiUrl } = slack;
  const env = { SLACK_BOT_TOKEN: botToken, SLACK_SIGNING_SECRET: signingSecret, SLACK_API_URL: apiUrl };
  const app = await startApp({
    config: loadConfig({ env: { PORT: "0", ...env, SLACK_HTTP_PORT: port }, cwd: tempDirectory() }, FEATURES),
    runtime: systemRuntime(),
    log: silentLog,
    secrets: [],
    say: () => {},
    signal: new AbortController().signal,
  });
  expect(startupErrorLines(await app.failed)).toEqual([`✗ Port ${port} is in use. Set SLACK_HTTP_PORT to a free one.`]);
  await app.stop();
});

const models: readonly { name: string; env: Record<string, string>; line: string }[] = [
  {
    name: "without a key the demo model answers",
    env: {},
    line: "⚠ No provider has a key, so the scripted demo model answers. Set one, for example in ANTHROPIC_API_KEY, or on the page.",
  },
  { name: "the demo model may be chosen", env: { DECKHAND_MODEL: "demo/scripted" }, line: "✓ Model: demo/scripted" },
  {
    name: "a key chooses its provider's model",
    env: { ANTHROPIC_API_KEY: "k" },
    line: "✓ Model: anthropic/claude-sonnet-5-5",
  },
  {
    name: "a model lacks its key",
    env: { DECKHAND_MODEL: "anthropic/claude-opus-5-5" },
    line: "⚠ model: anthropic/claude-opus-5-5 needs a key. Set ANTHROPIC_API_KEY.",
  },
  {
    name: "a provider is misspelt",
    env: { DECKHAND_MODEL: "antropic/claude-opus-5-5" },
    line: '⚠ model: antropic/claude-opus-5-5 does not name a known provider. Did you mean "anthropic"?',
  },
];

test.each(models)("the start says so when $name", async ({ env, line }) => {
  const said = await start(env);
  expect(said[0]).toMatch(/^✓ Deckhand is running\. Web page: http:\/\/127\.0\.0\.1:\d+\/\?token=\S{16,}$/);
  expect(said.slice(1)).toEqual([line]);
});

test("folders that are missing are made, also that of the database", async () => {
  const directory = tempDirectory();
  mkdirSync(path.join(directory, "there"));
  const said = await start({
    DECKHAND_HOME: path.join(directory, "there/and/back"),
    DATABASE_URL: `file:${path.join(directory, "else/where/deckhand.db")}`,
  });
  expect(said).toHaveLength(2);
});

test("settings without effect are named at the start: a temperature, tools that there are not", async () => {
  const said = await start(
    {},
    {
      model: "anthropic/claude-sonnet-5-5",
      temperature: 0.2,
      toolAllow: ["read", "tool_search", "raed", "mcp__gone__find", "mcp__docs__find"],
      channels: { "slack:C1": { toolAllow: ["Bash", "web_fetch"] } },
      agents: {
        scout: { tools: ["raed", "grep", "web_search", "mcp__docs__find", "changes"] },
        idle: { tools: ["problems", "changes"] },
        mute: { tools: [], disallowedTools: ["Write", "bash", "doom_loop", "mcp__docs__find", "*"] },
      },
      mcpServers: { docs: { url: "http://127.0.0.1:1/mcp" } },
    },
  );
  expect(said.filter((line) => line.includes("agents."))).toEqual([
    '⚠ agents.scout.tools: there is no tool "raed" with these settings. Did you mean "read"?',
    "⚠ agents.idle.tools: none of these tools exists with these settings, so the agent can only talk: problems, changes. `/tools` lists the available tools.",
    '⚠ agents.mute.disallowedTools: there is no tool "Write" with these settings. Did you mean "write"?',
  ]);
  expect(said.filter((line) => line.includes("toolAllow"))).toEqual([
    '⚠ toolAllow: there is no tool "raed" with these settings. Did you mean "read"?',
    '⚠ toolAllow: there is no tool "mcp__gone__find" with these settings. `/tools` lists the available tools.',
    '⚠ channels.slack:C1.toolAllow: there is no tool "Bash" with these settings. Did you mean "bash"?',
  ]);
  expect(said).toContainEqual(
    expect.stringMatching(
      /^⚠ temperature: has no effect, because anthropic\/claude-sonnet-5-5 does not accept a temperature\./,
    ),
  );
});
