import path from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Log } from "../../../src/core/protocol/log.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import type { ToolResult } from "../../../src/core/protocol/tool-result.ts";
import type { Tool, ToolContext } from "../../../src/core/tool.ts";
import { createMcpConnections, type McpConnections, type McpOptions } from "../../../src/features/mcp/connections.ts";
import type { McpCommandServer, McpServer } from "../../../src/features/mcp/server-settings.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { recordingPosts } from "../../support/database/recording-posts.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { silentLog } from "../../support/silent-log.ts";
import { toolContext } from "../../support/tool-context.ts";

export interface Connected {
  readonly mcp: McpConnections;
  readonly tool: (name: string) => Tool;
  readonly call: (name: string, input?: object, signal?: AbortSignal) => Promise<ToolResult>;
}

export interface World {
  readonly clock?: Clock;
  readonly environment?: Readonly<Record<string, string>>;
  readonly log?: Log;
  /** People's answers to a server's questions; nobody answers if absent. */
  readonly ask?: McpOptions["ask"];
  /** The accounts that have signed in; none if absent. */
  readonly accessTo?: McpOptions["accessTo"];
}

/** Connections that are stopped when the test ends; each server has had its first attempt. */
export async function connect(servers: Record<string, McpServer>, world: World = {}): Promise<Connected> {
  const connected = begin(servers, world);
  await connected.mcp.settled();
  return connected;
}

/** Begins to connect without waiting for the first attempts. */
export function begin(servers: Record<string, McpServer>, world: World = {}): Connected {
  const connected = open(servers, world);
  onTestFinished(() => connected.mcp.stop());
  return connected;
}

/** Connections shared by tests that do not change the servers, because starting one is slower than most tests. */
export function useConnected(servers: () => Promise<Record<string, McpServer>>, world: World = {}): () => Connected {
  return useShared(
    async () => {
      const connected = open(await servers(), world);
      await connected.mcp.settled();
      return connected;
    },
    ({ mcp }) => mcp.stop(),
  );
}

function open(
  servers: Record<string, McpServer>,
  { clock, environment = {}, log = silentLog, ask = () => Promise.resolve(null), accessTo = () => null }: World,
): Connected {
  const runtime = systemRuntime();
  const mcp = createMcpConnections({
    servers,
    idle: [],
    ask,
    accessTo,
    environment,
    version: "0",
    clock: clock ?? runtime.clock,
    random: runtime.random,
    log,
  });
  mcp.start(new AbortController().signal);
  const tool = (name: string): Tool => {
    const found = mcp.tools().find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  return {
    mcp,
    tool,
    call: (name, input = {}, signal = new AbortController().signal) => tool(name).execute(input, context(), signal),
  };
}

export function context(changes: Partial<ToolContext> = {}): ToolContext {
  return toolContext({ sandboxRoot: "/nowhere", thread: recordingPosts().thread, ...changes });
}

export function hostile(behaviour = "plain", settings: Partial<McpCommandServer> = {}): McpCommandServer {
  const script = fileURLToPath(new URL("./hostile-server.ts", import.meta.url));
  return { command: process.execPath, args: [script, behaviour], ...settings };
}

export const EVERYTHING = path.resolve("node_modules/@modelcontextprotocol/server-everything/dist/index.js");

/** The third-party server `everything` over stdio. */
export function everything(settings: Partial<McpCommandServer> = {}): McpCommandServer {
  return { command: process.execPath, args: [EVERYTHING, "stdio"], ...settings };
}

export function textIn(result: ToolResult): string {
  return textOf(result.content);
}
