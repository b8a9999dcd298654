import type { Permission } from "../../core/agents/query-config.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock, Random } from "../../core/protocol/runtime.ts";
import type { Tool } from "../../core/tool.ts";
import type { TeamServer } from "../../feature.ts";
import type { Catalogue, LeftOutTool } from "./catalogue/catalogue.ts";
import { toolPrefix } from "./catalogue/names.ts";
import { McpConnection } from "./connection.ts";
import type { AskInThread } from "./elicitation/ask-people.ts";
import { foreignLine } from "./foreign-text.ts";
import { promptCommand } from "./prompt-command.ts";
import { resourcesTool } from "./resources-tool.ts";
import { originOfServer, permissionOf, serverLocation } from "./server-settings.ts";
import type { ConnectionState } from "./server-states/connection-state.ts";
import { serverStateLines, serverStates } from "./server-states/server-states.ts";
import { notConnected } from "./server-states/state-text.ts";
import { serverTool } from "./server-tool.ts";
import type { McpConfig } from "./settings/read-servers.ts";
import type { AccessTo } from "./sign-in/sign-ins.ts";
import { Reaper } from "./transport/reaper.ts";

/** Maximum length of a tool's own name in lists, in characters. */
const SHOWN_CHARS = 80;

export interface McpOptions extends Omit<McpConfig, "secrets"> {
  /** Deckhand's version, as sent to servers. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Asks the people of a call's thread what a server wants to know. */
  readonly ask: AskInThread;
  readonly accessTo: AccessTo;
}

export interface McpServerView {
  /** The server's name as people write it. */
  readonly name: string;
  /** `a native program of server github`, `server docs at mcp.example.com`. */
  readonly location: string;
  readonly state: ConnectionState;
  readonly tools: readonly {
    readonly name: string;
    /** The server's own name for the tool, safe to show. */
    readonly tool: string;
    readonly permission: Permission;
  }[];
  readonly leftOut: readonly LeftOutTool[];
  /** Why the server cannot be used now, and when it is next tried; null if it can be used. */
  readonly problem: string | null;
  readonly signIn: TeamServer["signIn"];
  /** A sentence about names in the settings that match no tool of the connected server; null if all match. */
  readonly unmet: string | null;
  /** The last stderr of the program when it could not connect; only for the operator at the terminal. */
  readonly lastStderr: string;
}

/** All servers of the settings, as the parts of the feature use them. */
export type McpConnections = ReturnType<typeof createMcpConnections>;

export function createMcpConnections({ servers, idle, ask, accessTo, ...world }: McpOptions) {
  const reaper = new Reaper();
  const stopping = new AbortController();
  const watching: (() => void)[] = [];
  const changed = () => {
    for (const tell of watching) tell();
  };
  const connections = Object.entries(servers)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, settings]) => {
      const log = world.log.child({ mcpServer: name });
      const access = accessTo(name, settings, log);
      return new McpConnection({ ...world, name, settings, reaper, changed, access, log });
    });
  const resources = connections.length === 0 ? [] : [resourcesTool(connections)];
  const ownerOf = (tool: string) => connections.find(({ name }) => tool.startsWith(toolPrefix(name)));
  const { clock } = world;
  const toolsOf = toolMaker(ask);
  return {
    /** Starts connecting in the background, so that a server that is down delays nobody. */
    start: (signal: AbortSignal) => {
      for (const connection of connections) connection.start(signal);
    },
    /** Resolves when the first attempt to connect has ended for every server. */
    settled: async () => {
      await Promise.all(connections.map(({ settled }) => settled));
    },
    /**
     * The tools of all servers, sorted by name, and `mcp_resources` if there is any server. The list is stable: a
     * server's tools appear when it first connects, stay while it is away, and change only when it announces a change.
     */
    tools: () => [...connections.flatMap(toolsOf), ...resources].sort((a, b) => (a.name < b.name ? -1 : 1)),
    /** The servers as `/tools` shows them. */
    describe: () => connections.map((connection) => viewOf(connection, clock.now())),
    /** One sentence for each problem with a server. */
    problems: () => [
      ...idle.map(({ name, why }) => `${name} is not connected: ${why}`),
      ...connections.flatMap((connection) => problemOf(connection, clock.now()) ?? unmetText(connection) ?? []),
    ],
    /** The origin of a server's tool, as shown to people. */
    sourceOf: (tool: string) => {
      const owner = ownerOf(tool);
      return `${owner === undefined ? "all MCP servers" : originOfServer(owner.title)}, not sandboxed`;
    },
    /** The state of each server in the settings. */
    serverStates: () => serverStates(connections, idle),
    /** Calls back whenever a server's state or list of tools has changed. */
    watch: (tell: () => void) => {
      watching.push(tell);
    },
    /** Finds a connection by the server's name as people write it. */
    connection: (name: string): Pick<McpConnection, "reconnect"> | undefined =>
      connections.find(({ title }) => title === name),
    connections,
    /** Servers in the settings that are not started, and why. */
    idle,
    /** Answers `/mcp` with the given rest of the line. */
    command: (line: string) => {
      const servers = () => serverStateLines(serverStates(connections, idle), clock.now());
      return promptCommand(connections, line, { signal: stopping.signal, servers });
    },
    /** Why a tool of that name is unavailable; null if its server is connected, or not in the settings. */
    missing: (tool: string) => {
      const owner = ownerOf(tool);
      return owner === undefined ? null : problemOf(owner, clock.now());
    },
    /** Resolves when the first attempt to connect to the tool's server has ended. */
    toolKnown: async (tool: string) => ownerOf(tool)?.settled,
    /** Resolves when no child process is left. */
    stop: async () => {
      stopping.abort();
      await Promise.all(connections.map((connection) => connection.stop()));
      reaper.close();
    },
  };
}

/** Turns a server's tools into the bot's; cached until the server's list changes. */
function toolMaker(ask: AskInThread): (connection: McpConnection) => readonly Tool[] {
  const made = new WeakMap<Catalogue, readonly Tool[]>();
  return (connection) => {
    const { catalogue } = connection;
    const tools = made.get(catalogue) ?? catalogue.tools.map((listed) => serverTool(connection, listed, ask));
    made.set(catalogue, tools);
    return tools;
  };
}

function viewOf(connection: McpConnection, now: number): McpServerView {
  const { title, settings, state, catalogue, lastStderr } = connection;
  return {
    name: title,
    location: serverLocation(title, settings),
    state,
    tools: catalogue.tools.map(({ name, tool }) => ({
      name,
      tool: foreignLine(tool, SHOWN_CHARS),
      permission: permissionOf(settings, tool),
    })),
    leftOut: catalogue.leftOut,
    problem: problemOf(connection, now),
    signIn: signInOf(connection),
    unmet: unmetText(connection),
    lastStderr,
  };
}

function signInOf({ access, state }: McpConnection): TeamServer["signIn"] {
  const isWanted = state.type === "down" && state.waitsForSignIn;
  const account = access?.signedIn ?? null;
  if (access === null || (!isWanted && account === null)) return null;
  return { isWanted, account: account === null ? null : { by: account.by, at: account.at } };
}

function problemOf({ title, state }: McpConnection, now: number): string | null {
  return state.type === "connected" ? null : notConnected({ name: title, state }, now);
}

/** Null if the server is not connected, because its list is then old or empty. */
function unmetText({ title, state, catalogue: { unmet } }: McpConnection): string | null {
  if (state.type !== "connected" || unmet.length === 0) return null;
  return `${title}: none of its tools match ${unmet.join(", ")} in the settings.`;
}
