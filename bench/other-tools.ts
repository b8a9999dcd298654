import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { loadExtensions } from "../src/features/extensions/load-extensions.ts";
import { createMcpConnections } from "../src/features/mcp/connections.ts";
import { systemRuntime } from "../src/runtime.ts";
import { createGitTool } from "../src/tools/git.ts";
import { isForbiddenAddress } from "../src/tools/network/addresses.ts";
import { createSystemResolve } from "../src/tools/network/resolve.ts";
import { createSandbox } from "../src/tools/wasm/sandbox.ts";
import { createWebFetch } from "../src/tools/web/web-fetch.ts";
import { silentLog } from "../test/support/silent-log.ts";
import { EXAMPLE_TOOLS } from "../wasm/build-examples.ts";
import { asProcess, type Comparison, compare, type OpenTool, plainNode } from "./comparison.ts";
import type { Figure } from "./measure.ts";
import { inTemporaryRoot } from "./sandbox.ts";

const ROWS = 5_000;
const COMMITS = 30;
const PARAGRAPHS = 200;

/** Measures the tools other than the file tools: web_fetch, git, third parties' components, an MCP server. */
export async function benchOtherTools(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const bench of [benchWebFetch, benchGit, benchExtensions, benchMcp])
    figures.push(...(await inTemporaryRoot(bench)));
  return figures;
}

/** Stands in for a public address. */
const SITE = "127.0.0.3";

/** Converts pages of about 60 KB, each different, to Markdown. */
async function benchWebFetch(root: string): Promise<Figure[]> {
  const page = `<!doctype html><title>Foxes</title>${"<p>The <b>quick</b> brown fox jumps over <a href='/dog'>the lazy dog</a>. It does so often, and in all weathers. In winter it rests, and a dog that is lazy all year long has its peace.</p>\n".repeat(PARAGRAPHS)}`;
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html", "cache-control": "no-store" }).end(page);
  });
  server.listen(0, SITE);
  await once(server, "listening");
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("the site has no port");
  const url = `http://${SITE}:${bound.port}/`;
  const open = (): OpenTool => {
    const sandbox = createSandbox();
    const tool = createWebFetch(sandbox, {
      resolve: createSystemResolve(),
      isForbiddenAddress: (address) => address !== SITE && isForbiddenAddress(address),
    });
    return { tool, close: () => sandbox.close() };
  };
  const comparison: Comparison = {
    name: "web_fetch",
    open,
    input: () => ({ url }),
    context: { allowedHosts: [`${SITE}:${bound.port}`] },
    beside: [
      plainNode(async () => (await fetch(url)).text()),
      asProcess("curl", "--silent", "--output", "/dev/null", url),
    ],
  };
  try {
    return await compare(comparison, root);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Reads the history of a small repository, with the bot's configuration in place of the repository's. */
function benchGit(root: string): Promise<Figure[]> {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args], {
      cwd: root,
      stdio: "pipe",
    });
  git("init", "--quiet");
  for (let commit = 0; commit < COMMITS; commit++) {
    writeFileSync(path.join(root, `file${commit % 10}.txt`), `${commit}\n`);
    git("add", "--all");
    git("commit", "--quiet", "--message", `Change ${commit}`);
  }
  const open = (): OpenTool => ({ tool: createGitTool(), close: () => Promise.resolve() });
  const native = asProcess("git", "-C", root, "log", "--max-count=20");
  return compare({ name: "git log", open, input: () => ({ action: "log" }), beside: [native] }, root);
}

/**
 * Runs a TypeScript tool for Deckhand's own world and an unmodified WASI program. Their bindings are made in advance.
 */
async function benchExtensions(root: string): Promise<Figure[]> {
  const table = path.join(root, "sales.csv");
  const row = (_: unknown, at: number) => `${at},city${at % 20},${at % 97}`;
  writeFileSync(table, `id,city,amount\n${Array.from({ length: ROWS }, row).join("\n")}\n`);
  const place = mkdtempSync(path.join(tmpdir(), "deckhand-bench-"));
  try {
    addProgram(path.join(place, "tools"));
    const open = (name: string) => openExtension(name, place);
    for (const name of ["csv_query", "count"]) await (await open(name)).close();
    const query = {
      name: `csv_query, sums of ${ROWS} rows by city`,
      open: () => open("csv_query"),
      input: () => ({
        file: "sales.csv",
        group_by: ["city"],
        aggregates: [{ function: "sum", column: "amount" }],
      }),
      beside: [
        plainNode(() => sumsOf(table)),
        asProcess("awk", "-F,", "{s[$2]+=$3} END {for (c in s) print c, s[c]}", table),
      ],
    };
    const program = {
      name: "a wasi:cli/run program that counts lines",
      open: () => open("count"),
      input: () => ({ file: "sales.csv" }),
      beside: [plainNode(() => readFileSync(table, "utf8").split("\n").length), asProcess("wc", "-lc", table)],
    };
    return [...(await compare(query, root)), ...(await compare(program, root))];
  } finally {
    rmSync(place, { recursive: true });
  }
}

/** Adds the component of a foreign toolchain that the tests use. */
function addProgram(tools: string): void {
  const component = path.resolve(import.meta.dirname, "../test/features/extensions/fixtures/count.wasm");
  const folder = path.join(tools, "count");
  mkdirSync(folder, { recursive: true });
  copyFileSync(component, path.join(folder, "component.wasm"));
  const manifest = {
    name: "count",
    description: "Counts the lines and bytes of a file.",
    world: "wasi:cli/run",
    sha256: createHash("sha256").update(readFileSync(component)).digest("hex"),
    input: { type: "object", properties: { file: { type: "string" } }, required: ["file"] },
    arguments: ["{file}"],
    permission: "read",
  };
  writeFileSync(path.join(folder, "tool.json"), JSON.stringify(manifest));
}

async function openExtension(name: string, place: string): Promise<OpenTool> {
  const sandbox = createSandbox();
  const { tools, problems } = await loadExtensions({
    directories: [EXAMPLE_TOOLS, path.join(place, "tools")],
    bindings: { cacheDir: path.join(place, "bindings") },
    sandbox,
    reserved: new Set(),
  });
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) throw new Error(`${name} is not loaded: ${problems.join(" ")}`);
  return { tool, close: () => sandbox.close() };
}

function sumsOf(table: string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const line of readFileSync(table, "utf8").trimEnd().split("\n").slice(1)) {
    const [, city = "", amount] = line.split(",");
    sums.set(city, (sums.get(city) ?? 0) + Number(amount));
  }
  return sums;
}

const EVERYTHING = {
  command: process.execPath,
  args: [
    path.resolve(import.meta.dirname, "../node_modules/@modelcontextprotocol/server-everything/dist/index.js"),
    "stdio",
  ],
};

/** Calls a third-party server, and compares with the same call by the protocol's own client. */
async function benchMcp(root: string): Promise<Figure[]> {
  const client = new Client({ name: "bench", version: "0" });
  await client.connect(new StdioClientTransport({ ...EVERYTHING, stderr: "ignore" }));
  const message = { message: "hello" };
  const beside = {
    name: "the SDK's client, connected",
    run: () => client.callTool({ name: "echo", arguments: message }),
  };
  try {
    return await compare({ name: "an MCP server's echo", open: openMcp, input: () => message, beside: [beside] }, root);
  } finally {
    await client.close();
  }
}

async function openMcp(): Promise<OpenTool> {
  const { clock, random } = systemRuntime();
  const mcp = createMcpConnections({
    servers: { everything: EVERYTHING },
    environment: {},
    idle: [],
    ask: () => Promise.resolve(null),
    accessTo: () => null,
    version: "0",
    clock,
    random,
    log: silentLog,
  });
  mcp.start(new AbortController().signal);
  await mcp.settled();
  const tool = mcp.tools().find(({ name }) => name === "mcp__everything__echo");
  if (tool === undefined) throw new Error("the MCP server is not connected");
  return { tool, close: () => mcp.stop() };
}
