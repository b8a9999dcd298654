import type { Permission } from "../../core/agents/query-config.ts";
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
import { originOfServer, permissionOf, whereabouts } from "./server-settings.ts";
import type { ConnectionState } from "./server-states/connection-state.ts";
import { serverStateLines, serverStates } from "./server-states/server-states.ts";
import { notConnected } from "./server-states/state-text.ts";
import { serverTool } from "./server-tool.ts";
import type { McpConfig } from "./settings/read-servers.ts";
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

/** All servers of the settings, for the parts of the feature. */
export type McpConnections = ReturnType<typeof createMcpConnections>;

export function createMcpConnections({ servers, idle, log, ask, ...world }: McpOptions) {
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
  const toolsOf = toolMaker(ask);
  return {
    /** Begins to connect, in the background: a server that is down delays nobody. */
    start: (signal: AbortSignal) => {
      for (const connection of connections) connection.start(signal);
    },
    /** Resolves when each server has once been connected or has once failed to be. */
    settled: async () => {
      await Promise.all(connections.map(({ settled }) => settled));
    },
    /**
     * The tools of all servers and, when there is a server, `mcp_resources`; by name. Equal servers give equal lists: a
     * server's tools appear when it is first connected, stay while it is away, and change only when it says so.
     */
    tools: () => [...connections.flatMap(toolsOf), ...resources].sort((a, b) => (a.name < b.name ? -1 : 1)),
    /** What `/tools` shows of MCP. */
    describe: () => connections.map((connection) => viewOf(connection, clock.now())),
    /** What is wrong with servers, a sentence each. */
    problems: () => [
      ...idle.map(({ name, why }) => `${name} is not connected: ${why}`),
      ...connections.flatMap((connection) => problemOf(connection, clock.now()) ?? unmetText(connection) ?? []),
    ],
    /** Where a tool of a server comes from, as people read it. */
    sourceOf: (tool: string) => {
      const owner = ownerOf(tool);
      return `${owner === undefined ? "all MCP servers" : originOfServer(owner.title)}, not sandboxed`;
    },
    /** How each server of the settings stands. */
    serverStates: () => serverStates(connections, idle),
    /** Calls back whenever that has changed. */
    watch: (tell: () => void) => {
      watching.push(tell);
    },
    /** The connection of a server, as people call it. */
    connection: (name: string): Pick<McpConnection, "reconnect"> | undefined =>
      connections.find(({ title }) => title === name),
    /** Servers that are in the settings and are not started, and why. */
    idle,
    /** What a line after `/mcp` asks for. */
    command: (line: string) => {
      const servers = () => serverStateLines(serverStates(connections, idle), clock.now());
      return promptCommand(connections, line, { signal: stopping.signal, servers });
    },
    /** Why a tool of that name is not there; null when it is none of a server in the settings. */
    missing: (tool: string) => {
      const owner = ownerOf(tool);
      return owner === undefined ? null : problemOf(owner, clock.now());
    },
    /** Resolves when the server that a tool of that name would be of has once been connected, or has failed to be. */
    toolKnown: async (tool: string) => ownerOf(tool)?.settled,
    /** Resolves when no child is left. */
    stop: async () => {
      stopping.abort();
      await Promise.all(connections.map((connection) => connection.stop()));
      reaper.close();
    },
  };
}

/** A server's tools as ours, made anew when it lists others. */
function toolMaker(ask: AskThread): (connection: McpConnection) => readonly Tool[] {
  const made = new WeakMap<Catalogue, readonly Tool[]>();
  return (connection) => {
    const { catalogue } = connection;
    const tools = made.get(catalogue) ?? catalogue.tools.map((listed) => serverTool(connection, listed, ask));
    made.set(catalogue, tools);
    return tools;
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
