import type { Permission } from "../../core/agents/query-config.ts";
import type { CommandReply } from "../../core/command-line/command.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock, Random } from "../../core/protocol/runtime.ts";
import type { Tool } from "../../core/tool.ts";
import type { Catalogue, LeftOutTool } from "./catalogue/catalogue.ts";
import { toolPrefix } from "./catalogue/names.ts";
import { McpConnection } from "./connection.ts";
import type { AskThread } from "./elicitation/ask-people.ts";
import { foreignLine } from "./foreign-text.ts";
import { promptCommand } from "./prompt-command.ts";
import { resourcesTool } from "./resources-tool.ts";
import { permissionOf, whereabouts } from "./server-settings.ts";
import type { ConnectionState } from "./server-states/connection-state.ts";
import { serverStateLines, serverStates } from "./server-states/server-states.ts";
import { notConnected, type ServerState } from "./server-states/state-text.ts";
import { serverTool } from "./server-tool.ts";
import type { IdleServer, McpConfig } from "./settings/read-servers.ts";
import { Reaper } from "./transport/reaper.ts";

/** Characters of a tool's own name in lists. */
const SHOWN_CHARS = 80;

export interface McpOptions extends Omit<McpConfig, "secrets"> {
  /** Ours, as servers are told it. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Asks the people of a call's thread what a server wants to know. */
  readonly ask: AskThread;
}

export interface McpServerView {
  /** As people call it. */
  readonly name: string;
  /** `a native program of server github`, `server docs at mcp.example.com`. */
  readonly whereabouts: string;
  readonly state: ConnectionState;
  readonly tools: readonly {
    readonly name: string;
    /** The server's own name of it, as it may be shown. */
    readonly tool: string;
    readonly permission: Permission;
  }[];
  readonly leftOut: readonly LeftOutTool[];
  /** Why the server cannot be used now, with its next try; null when it can. */
  readonly problem: string | null;
  /** What the settings say of tools that it does not have; null when of none. */
  readonly unmet: string | null;
  /** What its program wrote last when it could not be connected: for the operator at the terminal alone. */
  readonly lastWords: string;
}

export interface McpConnections {
  /** Begins to connect, in the background: a server that is down delays nobody. */
  start(signal: AbortSignal): void;
  /** Resolves when each server has once been connected or has once failed to be. */
  settled(): Promise<void>;
  /**
   * The tools of all servers and, when there is a server, `mcp_resources`; by name. Equal servers give equal lists: a
   * server's tools appear when it is first connected, stay while it is away, and change only when it says so.
   */
  tools(): readonly Tool[];
  /** What `/tools` shows of MCP. */
  describe(): readonly McpServerView[];
  /** What is wrong with servers, a sentence each. */
  problems(): readonly string[];
  /** How each server of the settings stands. */
  serverStates(): readonly ServerState[];
  /** The connection of a server, as people call it. */
  connection(name: string): Pick<McpConnection, "reconnect"> | undefined;
  /** Servers that are in the settings and are not started, and why. */
  readonly idle: readonly IdleServer[];
  /** Calls back whenever that has changed. */
  watch(changed: () => void): void;
  /** What a line after `/mcp` asks for. */
  command(line: string): Promise<CommandReply>;
  /** Why a tool of that name is not there; null when it is none of a server in the settings. */
  missing(tool: string): string | null;
  /** Resolves when the server that a tool of that name would be of has once been connected, or has failed to be. */
  toolKnown(tool: string): Promise<void>;
  /** Resolves when no child is left. */
  stop(): Promise<void>;
}

export function createMcpConnections({ servers, idle, log, ask, ...world }: McpOptions): McpConnections {
  const reaper = new Reaper();
  const stopping = new AbortController();
  const watching: (() => void)[] = [];
  const changed = () => {
    for (const tell of watching) tell();
  };
  const connections = Object.entries(servers)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, settings]) => {
      return new McpConnection({ ...world, name, settings, reaper, changed, log: log.child({ mcpServer: name }) });
    });
  const resources = connections.length === 0 ? [] : [resourcesTool(connections)];
  const ownerOf = (tool: string) => connections.find(({ name }) => tool.startsWith(toolPrefix(name)));
  const { clock } = world;
  const made = new WeakMap<Catalogue, readonly Tool[]>();
  const toolsOf = (connection: McpConnection): readonly Tool[] => {
    const { catalogue } = connection;
    const known = made.get(catalogue);
    if (known !== undefined) return known;
    const tools = catalogue.tools.map((listed) => serverTool(connection, listed, ask));
    made.set(catalogue, tools);
    return tools;
  };
  return {
    start: (signal) => {
      for (const connection of connections) connection.start(signal);
    },
    settled: async () => {
      await Promise.all(connections.map(({ settled }) => settled));
    },
    tools: () => [...connections.flatMap(toolsOf), ...resources].sort((a, b) => (a.name < b.name ? -1 : 1)),
    describe: () => connections.map((connection) => viewOf(connection, clock.now())),
    problems: () => [
      ...idle.map(({ name, why }) => `${name} is not connected: ${why}`),
      ...connections.flatMap((connection) => problemOf(connection, clock.now()) ?? unmetText(connection) ?? []),
    ],
    serverStates: () => serverStates(connections, idle),
    connection: (name) => connections.find(({ title }) => title === name),
    idle,
    watch: (tell) => {
      watching.push(tell);
    },
    command: (line) => {
      const servers = () => serverStateLines(serverStates(connections, idle), clock.now());
      return promptCommand(connections, line, { signal: stopping.signal, servers });
    },
    missing: (tool) => {
      const owner = ownerOf(tool);
      return owner === undefined ? null : problemOf(owner, clock.now());
    },
    toolKnown: async (tool) => ownerOf(tool)?.settled,
    stop: async () => {
      stopping.abort();
      await Promise.all(connections.map((connection) => connection.stop()));
      reaper.close();
    },
  };
}

function viewOf(connection: McpConnection, now: number): McpServerView {
  const { title, settings, state, catalogue, lastWords } = connection;
  return {
    name: title,
    whereabouts: whereabouts(title, settings),
    state,
    tools: catalogue.tools.map(({ name, tool }) => ({
      name,
      tool: foreignLine(tool, SHOWN_CHARS),
      permission: permissionOf(settings, tool),
    })),
    leftOut: catalogue.leftOut,
    problem: problemOf(connection, now),
    unmet: unmetText(connection),
    lastWords,
  };
}

function problemOf({ title, state }: McpConnection, now: number): string | null {
  return state.type === "connected" ? null : notConnected({ name: title, state }, now);
}

/** What it lists when it is not connected is of the last time, or nothing. */
function unmetText({ title, state, catalogue: { unmet } }: McpConnection): string | null {
  if (state.type !== "connected" || unmet.length === 0) return null;
  return `${title}: the settings name ${unmet.join(", ")}, which none of its tools is called.`;
}
