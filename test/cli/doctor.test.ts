import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/core/store/store.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { entryUrl, openPlatform, TOKEN } from "../adapters/web/web-setup.ts";
import { everything } from "../features/mcp/connected.ts";
import { MemoryThreadStore } from "../support/database/memory-thread-store.ts";
import { startAnthropicServer } from "../support/model/anthropic-server.ts";
import type { CliGiven } from "../support/program/cli.ts";
import { directoryWith } from "../support/program/config-sources.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { doctor } from "./run-doctor.ts";

test("a healthy project has one ✓ line per check", async () => {
  const cwd = tempDirectory();
  const { lines, failed } = await doctor({ cwd });
  expect(lines).toEqual([
    `✓ Node ${process.versions.node}`,
    "✓ components are built",
    "✓ configuration",
    `✓ DECKHAND_HOME ${cwd}/data is writable`,
    `✓ DECKHAND_SANDBOX ${cwd}/data/sandbox is writable`,
    `✓ SQLite database ${cwd}/data/deckhand.db`,
    expect.stringMatching(/^✓ the sandbox's process is confined|^⚠ the sandbox's process is not confined/u),
    "✓ Slack: off; set SLACK_BOT_TOKEN to turn it on",
    "✓ Discord: off; set DISCORD_TOKEN to turn it on",
    "✓ model: demo/scripted, because DECKHAND_MODEL is not set",
    "✓ retention: everything is kept until somebody deletes it",
    "✓ PORT: 127.0.0.1:0 is free",
  ]);
  expect(failed).toBe(false);
});

test("a disabled confinement of the sandbox process is a warning", async () => {
  const cwd = directoryWith({ file: { confinement: "off" } });
  const { lines } = await doctor({ cwd });
  expect(lines).toContain("⚠ confinement: is off, so the operating system does not restrict the sandbox's process.");
});

test("a workspace that was refused gets a ⚠ line until the settings allow it", async () => {
  const cwd = tempDirectory();
  mkdirSync(path.join(cwd, "data"));
  const store = await openStore(`file:${cwd}/data/deckhand.db`, systemRuntime());
  await store.transaction(async (tx) => {
    await tx.knownWorkspaces.add("discord", { id: "discord:10", name: "Home", isServed: true }, 1);
    await tx.knownWorkspaces.add("discord", { id: "discord:66", name: "Quay", isServed: false }, 2);
  });
  await store.close();
  const { lines, failed } = await doctor({ cwd });
  expect(lines.filter((line) => line.includes("discord:"))).toEqual([
    "⚠ Quay (discord:66) asked for something but is not served: add it to `access.workspaces` to serve it",
  ]);
  expect(failed).toBe(false);
  writeFileSync(path.join(cwd, "deckhand.config.json"), JSON.stringify({ access: { workspaces: ["discord:66"] } }));
  expect((await doctor({ cwd })).lines.filter((line) => line.includes("discord:66"))).toEqual([]);
});

test("for a damaged SQLite file doctor recommends restoring a backup", async () => {
  const cwd = tempDirectory();
  const file = path.join(cwd, "data/deckhand.db");
  mkdirSync(path.dirname(file));
  await (await openStore(`file:${file}`, systemRuntime())).close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, HEADER_BYTES));
  const { lines, failed } = await doctor({ cwd });
  expect(lines).toContainEqual(
    expect.stringMatching(/^✗ DATABASE_URL: .* cannot be opened \(SQLITE_CORRUPT\)\. It is damaged\. Replace it/u),
  );
  expect(failed).toBe(true);
});

/** Length of a SQLite file's header. Source: SQLite docs, Database File Format. */
const HEADER_BYTES = 100;

const broken: { name: string; given: CliGiven; line: string }[] = [
  {
    name: "components that are not built",
    given: { root: "/nowhere" },
    line: "✗ not built: database clients, sandbox guests, web page. Run `npm run build`.",
  },
  {
    name: "a home that cannot be written",
    given: { env: { DECKHAND_HOME: `${import.meta.filename}/home` } },
    line: `✗ DECKHAND_HOME ${import.meta.filename}/home cannot be written (ENOTDIR). Give this user write permission, or set DECKHAND_HOME to another directory.`,
  },
  {
    name: "a PostgreSQL that is not there",
    given: { env: { DATABASE_URL: "postgresql://u:hunter22@127.0.0.1:1/x" } },
    line: "✗ DATABASE_URL: cannot connect to PostgreSQL (ECONNREFUSED). Check that it is running, and that address, user, password and database are correct.",
  },
  {
    name: "a PostgreSQL that is not there for any of several processes",
    given: { env: { DATABASE_URL: "postgresql://u:hunter22@127.0.0.1:1/x", DECKHAND_ENGINE: "dbos" } },
    line: "✗ DATABASE_URL: cannot connect to PostgreSQL (ECONNREFUSED). Check that it is running, and that address, user, password and database are correct.",
  },
  {
    name: "a certificate that is not there",
    given: { env: { DATABASE_URL: "postgresql://u:hunter22@127.0.0.1:1/x?sslmode=verify-full&sslrootcert=/nope.pem" } },
    line: "✗ DATABASE_URL: the file named in sslrootcert, sslcert or sslkey cannot be read (ENOENT). Correct its path.",
  },
  {
    name: "an address that this machine has not",
    given: { env: { HOST: "192.0.2.1" } },
    line: "✗ PORT: 192.0.2.1:0 cannot be used (EADDRNOTAVAIL). Set HOST to an address of this machine.",
  },
  {
    name: "a file that is no database",
    given: { env: { DATABASE_URL: `file:${import.meta.filename}` } },
    line: `✗ DATABASE_URL: ${import.meta.filename} cannot be opened (SQLITE_NOTADB). It is not a SQLite database. Use one, or a file that does not exist yet.`,
  },
  {
    name: "a database that is a directory",
    given: { env: { DATABASE_URL: `file:${import.meta.dirname}` } },
    line: `✗ DATABASE_URL: ${import.meta.dirname} cannot be opened (EISDIR). It is a directory. Use a file in it, for example deckhand.db.`,
  },
  {
    name: "a database that is written as a directory",
    given: { env: { DATABASE_URL: "file:./databases/" } },
    line: "✗ DATABASE_URL: must name a file, not a directory. Example: DATABASE_URL=postgresql://deckhand@localhost:5432/deckhand",
  },
  {
    name: "a SQLite file where the system lets nobody create one",
    given: { env: { DATABASE_URL: "file:/proc/x.db" } },
    // Root may write anywhere, so the error is that the directory does not exist.
    line: `✗ DATABASE_URL /proc cannot be written (${process.getuid?.() === 0 ? "ENOENT" : "EACCES"}). Give this user write permission, or set DATABASE_URL to another directory.`,
  },
  {
    name: "a SQLite file where none can be made",
    given: { env: { DATABASE_URL: `file:${import.meta.filename}/x.db` } },
    line: `✗ DATABASE_URL ${import.meta.filename} cannot be written (ENOTDIR). Give this user write permission, or set DATABASE_URL to another directory.`,
  },
  {
    name: "a model without its key",
    given: { env: { DECKHAND_MODEL: "anthropic/claude-opus-5-5" } },
    line: "✗ model: anthropic/claude-opus-5-5 needs a key. Set ANTHROPIC_API_KEY.",
  },
  ...[{}, { AWS_REGION: "evil.example/" }].map((region) => ({
    name: `a model in no region (${Object.values(region).join("") || "none"})`,
    given: { env: { DECKHAND_MODEL: "bedrock/us.anthropic.m", AWS_BEARER_TOKEN_BEDROCK: "k", ...region } },
    line: "✗ model: bedrock/us.anthropic.m needs a region, for example eu-central-1. Set AWS_REGION.",
  })),
  {
    name: "a model whose address only the operator knows",
    given: { env: { DECKHAND_MODEL: "azure/m", AZURE_OPENAI_API_KEY: "k" } },
    line: "✗ model: azure/m needs a base URL. Set AZURE_BASE_URL.",
  },
  {
    name: "a model of an unknown provider",
    given: { env: { DECKHAND_MODEL: "mine/m" } },
    line: "✗ model: mine/m does not name a known provider. Set `baseUrl` and `wire` in `providers.mine`.",
  },
  {
    name: "a wrong configuration",
    given: { env: { LOG_LEVEL: "loud" } },
    line: '✗ LOG_LEVEL: must be one of fatal, error, warn, info, debug, trace, silent, but is "loud". Example: LOG_LEVEL=info',
  },
];

test("what the program keeps in its home and may not change is reported", async () => {
  const cwd = tempDirectory();
  mkdirSync(path.join(cwd, "data"));
  symlinkSync("snapshots", path.join(cwd, "data/snapshots")); // Not even root may open a link to itself.
  const { lines, failed } = await doctor({ cwd });
  expect(lines).toContainEqual(
    expect.stringMatching(/^✗ DECKHAND_HOME: .*\/data\/snapshots cannot be written \(ELOOP\)\. .*chown/u),
  );
  expect(failed).toBe(true);
});

test("a home that cannot be written is reported once, not also as the place of its database", async () => {
  const { lines } = await doctor({ env: { DECKHAND_HOME: "/proc/deckhand" } });
  expect(lines.filter((line) => line.includes("cannot be written"))).toEqual([
    expect.stringMatching(/^✗ DECKHAND_HOME \/proc\/deckhand cannot be written/u),
  ]);
});

test.each(broken)("$name is a ✗ line with its remedy, and a failure", async ({ given, line }) => {
  const { lines, failed } = await doctor(given);
  expect(lines.filter((each) => each === line)).toEqual([line]);
  expect(lines.join("\n")).not.toMatch(/hunter22|An operator must/u);
  expect(failed).toBe(true);
});

test("a missing channel directory is reported", async () => {
  const cwd = tempDirectory();
  mkdirSync(path.join(cwd, "checkout"));
  writeFileSync(path.join(cwd, "notes"), "");
  const channels = {
    "slack:C1": { directory: "checkout" },
    "slack:C2": { directory: "chekout" },
    "slack:C3": { directory: "notes" },
  };
  writeFileSync(path.join(cwd, "deckhand.config.json"), JSON.stringify({ channels }));
  const { lines, failed } = await doctor({ cwd });
  const wrong = lines.filter((line) => line.startsWith("✗"));
  expect(wrong).toEqual([
    `✗ channels.slack:C2.directory: ${cwd}/chekout does not exist. Create it, or correct the path.`,
    `✗ channels.slack:C3.directory: ${cwd}/notes is not a directory.`,
  ]);
  expect(failed).toBe(true);
});

/** A port on which another program listens. */
async function occupied(): Promise<number> {
  const server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("occupied ports are reported", async () => {
  const [port, sites] = [await occupied(), await occupied()];
  const cwd = directoryWith({ file: { sites: { port: sites } } });
  mkdirSync(path.join(cwd, "data"));
  writeFileSync(path.join(cwd, "data/web-token"), `${TOKEN}\n`);
  const { lines, failed } = await doctor({ cwd, env: { PORT: `${port}` } });
  expect(lines.filter((line) => line.includes("cannot be used"))).toEqual([
    `✗ PORT: 127.0.0.1:${port} cannot be used (EADDRINUSE). Stop the program that uses it, or set PORT to another port.`,
    `✗ sites.port: 127.0.0.1:${sites} cannot be used (EADDRINUSE). Stop the program that uses it, or set sites.port to another port.`,
  ]);
  expect(failed).toBe(true);
});

test("ports in use by the running program of the same home are no problem", async () => {
  const platform = openPlatform({ store: new MemoryThreadStore() });
  await platform.listen();
  onTestFinished(() => platform.stop());
  const { port } = new URL(entryUrl(platform));
  const sites = await occupied();
  const cwd = directoryWith({ file: { sites: { port: sites } } });
  mkdirSync(path.join(cwd, "data"));
  writeFileSync(path.join(cwd, "data/web-token"), `${TOKEN}\n`);
  const { lines, failed } = await doctor({ cwd, env: { PORT: port } });
  expect(lines.slice(-2)).toEqual([
    `✓ PORT: 127.0.0.1:${port} is in use: Deckhand is running on this home directory`,
    `✓ sites.port: 127.0.0.1:${sites} is in use: Deckhand is running on this home directory`,
  ]);
  expect(failed).toBe(false);
  writeFileSync(path.join(cwd, "data/web-token"), "that-of-another-home\n");
  expect((await doctor({ cwd, env: { PORT: port } })).failed).toBe(true);
});

test("warnings are shown and do not cause a failing exit code", async () => {
  const { lines, failed } = await doctor({ env: { DECKHAND_MODLE: "x" } });
  expect(lines).toContain('⚠ DECKHAND_MODLE: is not a known setting and is ignored. Did you mean "DECKHAND_MODEL"?');
  expect(failed).toBe(false);
});

test("the model's provider is requested for its list, to describe the model and verify the key", async () => {
  const server = await startAnthropicServer();
  onTestFinished(() => server.close());
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url, DECKHAND_MODEL: "anthropic/claude-sonnet-5-5" };
  const { lines } = await doctor({ env });
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^✓ anthropic\/claude-sonnet-5-5: It reads 1,000,000 tokens and writes 128,000; \$2\.00 in, .* Anthropic lists \d models, including this one\.$/,
    ),
  );
  expect(server.requests).toEqual([]);
  const misspelt = await doctor({ env: { ...env, DECKHAND_MODEL: "anthropic/claude-sonet-5" } });
  expect(misspelt.lines).toContainEqual(
    expect.stringMatching(/^⚠ anthropic\/claude-sonet-5: .* Anthropic lists \d models, but not this one\.$/),
  );
});

test("a provider that cannot be reached is a warning", async () => {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://127.0.0.1:9" };
  const { lines, failed } = await doctor({ env });
  expect(lines).toContainEqual(
    expect.stringMatching(/^⚠ anthropic\/\S+: .* Anthropic cannot be reached\. Check the network or the base URL\.$/),
  );
  expect(failed).toBe(false);
});

test("each MCP server is connected once, and a failing or misconfigured one is reported with the reason", async () => {
  const mcpServers = {
    all: everything(),
    gone: { command: "/nowhere/at/all" },
    dies: {
      command: process.execPath,
      args: ["-e", "throw new TypeError(`no ${process.env.KEY}`)"],
      env: { KEY: "sk-secret-value-1234" },
    },
    unset: { url: "https://h/mcp", headers: { A: "${NOT_SET_ANYWHERE}" } },
    off: { command: "x", disabled: true },
  };
  const { lines, failed } = await doctor({ cwd: directoryWith({ file: { mcpServers } }) });
  expect(failed).toBe(true);
  expect(lines.filter((line) => line.includes("MCP server"))).toEqual([
    "✗ MCP server unset: headers.A refers to NOT_SET_ANYWHERE, which is not set.",
    "✓ MCP server off: It is disabled in the settings.",
    expect.stringMatching(/^✓ MCP server all: \d+ tools; sends echo, /),
    "✗ MCP server dies is not connected: its program ended (exit code 1). It wrote: TypeError: no [secret]",
    "✗ MCP server gone is not connected: its program was not found.",
  ]);
});

test.each<[string, object]>([
  ["fastModel", { fastModel: "nosuch/x" }],
  ["fallbackModel", { fallbackModel: "nosuch/x" }],
  ["agentDefinition.model", { agentDefinition: { name: "a", description: "A", prompt: "P", model: "nosuch/x" } }],
  ["channels.slack:C1.model", { channels: { "slack:C1": { model: "nosuch/x" } } }],
  ["agents.a.model", { agents: { a: { description: "A", prompt: "P", model: "nosuch/x" } } }],
  ["managedAgents.managerModel", { managedAgents: { enabled: true, managerModel: "nosuch/x" } }],
  ["managedAgents.presets.p.executorModel", { managedAgents: { presets: { p: { executorModel: "nosuch/x" } } } }],
  ["memory.model", { memory: { model: "nosuch/x" } }],
])("%s is reported if its provider is unknown", async (setting, file) => {
  const { lines, failed } = await doctor({ cwd: directoryWith({ file }) });
  expect(lines.filter((line) => line.startsWith("✗"))).toEqual([
    `✗ ${setting}: nosuch/x does not name a known provider. Set \`baseUrl\` and \`wire\` in \`providers.nosuch\`.`,
  ]);
  expect(failed).toBe(true);
});

test("a temperature that the model does not support is reported", async () => {
  const file = { model: "anthropic/claude-sonnet-5-5", temperature: 0.2 };
  const { lines } = await doctor({ cwd: directoryWith({ file }) });
  expect(lines).toContainEqual(
    expect.stringMatching(
      /^⚠ temperature: has no effect, because anthropic\/claude-sonnet-5-5 does not accept a temperature\./,
    ),
  );
});
